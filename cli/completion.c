/*
 * completion.c - fulcrum completion: what a shell needs to complete a command.
 *
 * The scripts of both shells know nothing themselves: at every key they ask
 * 'fulcrum completion words WORD...' what the last word may become, so that
 * they are never older than the tables of options.  It answers with one word a
 * line, and its meaning after a tab; @files, @users and @command stand for what
 * the shell knows better.
 *
 * The values of an option or an operand are written "one|two|@files".  Capitals
 * after a colon or '=' stand for what the user is to fill in, and a range such
 * as 1..9 for numbers.  @protocol is any protocol; @set and @property are the
 * parameters and the properties of the one that was named before.
 */
#include <ctype.h>
#include <getopt.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/setup/setup.h"

/* Bash cuts words at ':' and '=', too, and replaces the last piece only. */
static const char bash_script[] =
    "# Completes fulcrum in bash; printed by 'fulcrum completion bash'.\n"
    "_fulcrum() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    local words kept word more\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=('')\n"
    "    [[ $cur == [=:] ]] && cur=\n"
    "    kept=${words[-1]%\"$cur\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        more=()\n"
    "        case $word in\n"
    "        @files) mapfile -t more < <(compgen -f -- \"$cur\")\n"
    "            compopt -o filenames 2>/dev/null ;;\n"
    "        @users) mapfile -t more < <(compgen -u -- \"$cur\") ;;\n"
    "        @command) mapfile -t more < <(compgen -c -- \"$cur\") ;;\n"
    "        *) more=(\"${word#\"$kept\"}\")\n"
    "            [[ $word == *[=:] ]] && compopt -o nospace 2>/dev/null ;;\n"
    "        esac\n"
    "        COMPREPLY+=(\"${more[@]}\")\n"
    "    done < <(\"${words[0]}\" completion words \"${words[@]:1}\")\n"
    "}\n"
    "complete -F _fulcrum fulcrum\n";

static const char zsh_script[] =
    "#compdef fulcrum\n"
    "# Completes fulcrum in zsh; printed by 'fulcrum completion zsh'.\n"
    "_fulcrum() {\n"
    "    local -a whole open\n"
    "    local line word\n"
    "    for line in \"${(@f)$(\"${words[1]}\" completion words \\\n"
    "        \"${(@)words[2,CURRENT-1]}\" \"$PREFIX\")}\"; do\n"
    "        word=${line%%$'\\t'*}\n"
    "        case $word in\n"
    "        @files) _files ;;\n"
    "        @users) _users ;;\n"
    "        @command) _command_names -e ;;\n"
    "        *[=:]) open+=(\"${word//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        ?*) whole+=(\"${word//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#open )) && _describe -t words word open -S ''\n"
    "    (( $#whole )) && _describe -t words word whole\n"
    "}\n"
    "_fulcrum \"$@\"\n";

/* ---- Words that fit ------------------------------------------------------ */

/* The word that is typed, of which `kept` bytes stay as they are. */
struct typed {
    const char *word;
    size_t kept;
    const struct fc_protocol *protocol; /* that was named before, or NULL */
};

static void offer(const struct typed *t, const char *text, size_t length,
                  const char *end, const char *meaning)
{
    const char *begun = t->word + t->kept;
    size_t typed = strlen(begun);

    if (typed > length ? strncmp(text, begun, length) != 0 ||
                             strcmp(end, begun + length) != 0
                       : strncmp(text, begun, typed) != 0)
        return;
    printf("%.*s%.*s%s\t%s\n", (int)t->kept, t->word, (int)length, text, end,
           meaning);
}

/* How much of a value is not for the user to fill in; 0 for a range. */
static size_t fixed_part(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (value[i] == '.' && i + 1 < length && value[i + 1] == '.')
            return 0;
        if (i > 0 && isupper((unsigned char)value[i]) &&
            (value[i - 1] == ':' || value[i - 1] == '='))
            return i;
    }
    return length;
}

static void offer_forms(const struct typed *t, const char *forms)
{
    while (*forms) {
        size_t length = strcspn(forms, "|"), fixed = fixed_part(forms, length);

        if (fixed)
            offer(t, forms, fixed, "", "");
        forms += length + (forms[length] == '|');
    }
}

static void offer_settings(struct typed t)
{
    const struct fc_protocol *p = t.protocol;
    const char *begun = t.word + t.kept;
    size_t key = strcspn(begun, "=");

    for (uint32_t i = 0; p && i < p->params_count; i++) {
        const struct fc_param *param = &p->params[i];
        size_t length = strlen(param->key);

        if (begun[key] != '=') {
            offer(&t, param->key, length, "=", param->help);
        } else if (length == key && strncmp(param->key, begun, key) == 0) {
            t.kept += key + 1;
            offer_forms(&t, param->form);
            return;
        }
    }
}

static void offer_properties(struct typed t)
{
    const char *comma = strrchr(t.word + t.kept, ',');

    if (comma)
        t.kept = (size_t)(comma + 1 - t.word);
    for (uint32_t i = 0; t.protocol && i <= FC_SANE_BIT; i++) {
        const char *name = fc_property(t.protocol, i);

        if (name)
            offer(&t, name, strlen(name), "", "");
    }
}

static void offer_protocols(const struct typed *t)
{
    for (uint32_t i = 0; sim_types[i]; i++) {
        const struct fc_protocol *p = sim_types[i]->protocol;

        offer(t, p->name, strlen(p->name), "", p->title);
    }
}

static void offer_values(const struct typed *t, const char *values)
{
    const char *mark = values ? strchr(values, '@') : NULL;

    if (!values)
        return;
    if (!mark)
        offer_forms(t, values);
    else if (strcmp(mark, "@protocol") == 0)
        offer_protocols(t);
    else if (strcmp(mark, "@set") == 0)
        offer_settings(*t);
    else if (strcmp(mark, "@property") == 0)
        offer_properties(*t);
    else { /* the shell's own comes last */
        char before[128];

        snprintf(before, sizeof before, "%.*s", (int)(mark - values), values);
        offer_forms(t, before);
        printf("%s\t\n", mark);
    }
}

/* ---- Where the last word stands ------------------------------------------ */

/* The option that a word names, up to '='; NULL if it is none. */
static const struct cli_option *find(const struct cli_table *table,
                                     const char *word)
{
    size_t length = strcspn(word, "=");

    for (uint32_t i = 0; i < table->count; i++) {
        const struct cli_option *o = &table->rows[i];
        bool named = o->name && length > 2 && strlen(o->name) == length - 2 &&
                     strncmp(word, "--", 2) == 0 &&
                     strncmp(word + 2, o->name, length - 2) == 0;

        if (named || (length == 2 && word[0] == '-' && word[1] == o->letter))
            return o;
    }
    return NULL;
}

static void offer_options(const struct typed *t, const struct cli_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct cli_option *o = &table->rows[i];
        char word[64];

        if (o->name)
            snprintf(word, sizeof word, "--%s", o->name);
        else
            snprintf(word, sizeof word, "-%c", o->letter);
        if (*o->help)
            offer(t, word, strlen(word), "", o->help);
    }
}

static void complete_verb(const char *word)
{
    struct typed t = {.word = word};

    for (int i = 0; cli_verbs[i]; i++)
        if (cli_verbs[i]->summary)
            offer(&t, cli_verbs[i]->name, strlen(cli_verbs[i]->name), "",
                  cli_verbs[i]->summary);
}

static void complete(const struct cli_verb *of, int count, char **words)
{
    const char *last = words[count - 1], *equals = strchr(last, '=');
    const struct cli_option *waiting = NULL; /* for its argument */
    struct typed t = {.word = last};
    struct cli_table table;
    int operands = 0;

    for (const struct cli_part *p = of->parts; p && p->word; p++) {
        if (count > 1 && strcmp(words[0], p->word) == 0) {
            complete(p->verb, count - 1, words + 1);
            return;
        }
        if (count == 1)
            offer(&t, p->word, strlen(p->word), "",
                  p->verb->summary ? p->verb->summary : "");
    }
    cli_options_collect(of, &table);
    for (int i = 0; i < count - 1; i++) {
        const struct cli_option *o = waiting ? NULL : find(&table, words[i]);

        if (!waiting && !o && words[i][0] != '-' && operands++ == 0 &&
            sim_find(words[i]))
            t.protocol = sim_find(words[i])->protocol;
        waiting = o && o->argument && !o->optional && !strchr(words[i], '=')
                      ? o
                      : NULL;
    }
    if (waiting) {
        offer_values(&t, waiting->values);
    } else if (last[0] == '-' && equals) {
        const struct cli_option *o = find(&table, last);

        t.kept = (size_t)(equals + 1 - last);
        offer_values(&t, o ? o->values : NULL);
    } else if (last[0] == '-') {
        offer_options(&t, &table);
    } else {
        offer_values(&t, operands < 2  ? of->operands[operands]
                         : of->command ? "@files"
                                       : NULL);
    }
}

/* All options, for the test of the manual. */
static void print_options_of(const struct cli_verb *verb, const char *name)
{
    struct cli_table table;

    cli_options_collect(verb, &table);
    for (uint32_t j = 0; j < table.count; j++) {
        const struct cli_option *o = &table.rows[j];

        if (!*o->help)
            continue;
        printf("%s", name);
        if (o->letter)
            printf(" -%c", o->letter);
        printf("%s%s\n", o->name ? " --" : "", o->name ? o->name : "");
    }
}

static void print_options(void)
{
    for (int i = 0; cli_verbs[i]; i++) {
        const struct cli_part *part = cli_verbs[i]->parts;

        print_options_of(cli_verbs[i], cli_verbs[i]->name);
        for (; part && part->word; part++)
            print_options_of(part->verb, cli_verbs[i]->name);
    }
}

static int run_completion(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int code;

    if (strcmp(what, "words") == 0) {
        if (argc == 3)
            complete_verb(argv[2]);
        for (int i = 0; argc > 3 && cli_verbs[i]; i++)
            if (strcmp(cli_verbs[i]->name, argv[2]) == 0)
                complete(cli_verbs[i], argc - 3, argv + 3);
        return CLI_FINE;
    }
    code = cli_options_read(&cli_completion, NULL, argc, argv);
    if (code != CLI_GO_ON)
        return code;
    if (strcmp(what, "bash") == 0)
        fputs(bash_script, stdout);
    else if (strcmp(what, "zsh") == 0)
        fputs(zsh_script, stdout);
    else if (strcmp(what, "options") == 0)
        print_options();
    else
        return cli_refuse("for which shell? There are bash and zsh");
    return CLI_FINE;
}

const struct cli_verb cli_completion = {
    .name = "completion",
    .run = run_completion,
    .usage = "bash\nzsh",
    .about = "Prints a script that completes commands of fulcrum. 'make "
             "install' puts both where shells look for them.",
    .examples = ". <(fulcrum completion bash)",
    .operands = {"bash|zsh"},
};
