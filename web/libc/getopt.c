/*
 * getopt.c - getopt_long(), as GNU has it: words may stand between the options
 * and are moved behind them; a beginning of a long name is enough if it fits
 * one name only.  Complaints are the caller's.
 */
#include <getopt.h>

#include <stdbool.h>
#include <string.h>

char *optarg;
int optind = 1, opterr = 1, optopt;

static const char *letter; /* the next one of several behind one dash */
static int first_word;     /* of those that were passed over */
static int pending;        /* the option before is still behind them */

/* Moves argv[from] to argv[to], which comes before it. */
static void move_up(char **argv, int from, int to)
{
    char *moved = argv[from];

    for (; from > to; from--)
        argv[from] = argv[from - 1];
    argv[to] = moved;
}

/* An option has been read up to optind: it goes before the words. */
static void arrange(char **argv, int began)
{
    for (int i = began; i < optind && first_word < began; i++) {
        move_up(argv, i, first_word);
        first_word++;
        began++;
    }
    if (first_word >= began)
        first_word = optind;
}

/* The word of this beginning: -1 none, -2 several. */
static int find_word(const struct option *words, const char *name,
                     size_t length)
{
    int found = -1;

    for (int i = 0; words[i].name; i++) {
        if (strncmp(words[i].name, name, length) != 0)
            continue;
        if (words[i].name[length] == '\0')
            return i;
        if (found == -1)
            found = i;
        else if (found >= 0 && (words[found].has_arg != words[i].has_arg ||
                                words[found].val != words[i].val))
            found = -2;
    }
    return found;
}

static int take_word(int argc, char *const *argv, const char *letters,
                     const struct option *words, int *index)
{
    const char *name = argv[optind++] + 2;
    size_t length = strcspn(name, "=");
    int found = find_word(words, name, length);

    optopt = 0;
    if (found < 0)
        return '?';
    if (name[length] && words[found].has_arg == no_argument) {
        optopt = words[found].val;
        return '?';
    }
    if (name[length])
        optarg = (char *)name + length + 1;
    else if (words[found].has_arg == required_argument) {
        if (optind >= argc) {
            optopt = words[found].val;
            return *letters == ':' ? ':' : '?';
        }
        optarg = argv[optind++];
    }
    if (index)
        *index = found;
    if (!words[found].flag)
        return words[found].val;
    *words[found].flag = words[found].val;
    return 0;
}

static int take_letter(int argc, char *const *argv, const char *letters)
{
    char c = *letter++;
    const char *known = c == ':' ? NULL : strchr(letters, c);
    bool last = *letter == '\0';

    if (last)
        optind++;
    optopt = (unsigned char)c;
    if (!known) {
        letter = last ? NULL : letter;
        return '?';
    }
    if (known[1] == ':') {
        if (!last) {
            optarg = (char *)letter;
            optind++;
        } else if (known[2] != ':') {
            letter = NULL;
            if (optind >= argc)
                return *letters == ':' ? ':' : '?';
            optarg = argv[optind++];
        }
        letter = NULL;
    } else if (last) {
        letter = NULL;
    }
    return (unsigned char)c;
}

int getopt_long(int argc, char *const *argv, const char *letters,
                const struct option *words, int *index)
{
    char **list = (char **)argv;
    int began, result;

    optarg = NULL;
    if (optind == 0) {
        optind = 1;
        letter = NULL;
    }
    if (!letter && optind == 1)
        first_word = 1;
    /* Not before now: the caller may have looked at argv[optind - 1]. */
    if (!letter && pending)
        arrange(list, pending);
    pending = 0;
    while (!letter && optind < argc &&
           (argv[optind][0] != '-' || argv[optind][1] == '\0'))
        optind++; /* passed over */
    if (!letter && optind >= argc) {
        optind = first_word;
        return -1;
    }
    began = optind;
    if (!letter && strcmp(argv[optind], "--") == 0) {
        optind++;
        arrange(list, began);
        optind = first_word;
        return -1;
    }
    if (!letter && argv[optind][1] == '-') {
        result = take_word(argc, argv, letters, words, index);
    } else {
        if (!letter)
            letter = argv[optind] + 1;
        result = take_letter(argc, argv, letters);
    }
    if (!letter)
        pending = began;
    return result;
}
