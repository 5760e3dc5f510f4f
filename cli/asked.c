/*
 * asked.c - see asked.h.
 */
#include "cli/asked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/paragraph.h"

enum { MEANING_AT = 26 };

static void print_row(const char *form, const char *says)
{
    struct paragraph p = paragraph_begin(2, MEANING_AT);

    paragraph_say(&p, "%s", form);
    paragraph_go_to(&p, MEANING_AT);
    paragraph_say(&p, "%s", says);
    paragraph_end(&p);
}

static void print_words(const struct lab_function *f)
{
    char words[512] = "";

    for (uint32_t i = 0; i < f->words_count; i++)
        if (f->words[i])
            cli_append(words, sizeof words, "%s%s", *words ? ", " : "",
                       f->words[i]);
    print_row("", words);
}

static void help(const struct lab_vocabulary *v)
{
    static const char *const rows[][2] = {
        {"always: E", "E holds in every state"},
        {"never: E", "E holds in no state"},
        {"never: P then Q", "in no step P holds before and Q after it"},
        {"eventually: E", "every run comes to a state in which E holds"},
        {"P leads-to Q", "whenever P holds, Q holds then or later"},
        {"every i: P leads-to Q", "for each node on its own"},
        {"NAME: ...", "before any of them: its name in reports"},
        {"under fairness", "behind the last three: or under chance, or under "
                           "no fairness"},
        {"some i: E", "or every i: E, and count i: (E), of the nodes 0 to N-1"},
        {"next(E)", "what E is after the step; P then Q is P and next(Q)"},
        {"not and or implies", "and = != < <= > >= + - * / mod(a,b) min max "
                               "if(c,a,b)"},
    };

    printf("forms\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        print_row(rows[i][0], rows[i][1]);
    printf("\n%s, of a node i\n", v->net->protocol->name);
    for (uint32_t i = 0; i < v->count; i++) {
        print_row(v->function[i].form, v->function[i].says);
        /* flying() stands there twice, with the same words. */
        if (v->function[i].words_count &&
            (i == 0 || v->function[i].words != v->function[i - 1].words))
            print_words(&v->function[i]);
    }
    printf("\nletters\n");
    for (const struct lab_letter *l = v->letters; l->name; l++) {
        char text[32];

        snprintf(text, sizeof text, "%g", l->is.value);
        print_row(l->name, text);
    }
}

int cli_ask(struct lab_asked **asked, struct net *net, const char *option,
            const char *const *texts, uint32_t count)
{
    struct net_why why = {0};
    struct lab_asked *a;

    *asked = NULL;
    if (!count)
        return 0;
    a = calloc(1, sizeof *a);
    if (!a)
        return cli_no_memory("the properties");
    *asked = a;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(texts[i], "help") == 0) {
            lab_vocabulary_begin(&a->words, net);
            help(&a->words);
            return CLI_GO_ON;
        }
        if (!lab_property_read(a, net, texts[i], &why)) {
            (void)net_where(&why, "%s: ", option);
            return cli_refused(&why);
        }
    }
    net->asked = &a->asked;
    return 0;
}

const char *cli_fairness(const struct net_property *p)
{
    switch (p->fairness) {
    case NET_FAIR:
        return "about fair runs: what must happen and can, again and again, "
               "does";
    case NET_BY_CHANCE:
        return "about all runs, but a cycle in which a coin falls is left";
    case NET_UNFAIR:
        return "about all runs, fair or not";
    }
    return "";
}
