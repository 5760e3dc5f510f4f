/*
 * ini.h - files of sections and lines KEY = VALUE.
 *
 *     # a line that begins like this is a remark
 *     [section]
 *     key = value
 */
#ifndef LAB_INI_H
#define LAB_INI_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/formula/expression.h"

/* One line: a section has no key.  Texts last as long as the file's. */
struct lab_line {
    uint32_t number;
    char *section, *key, *value;
};

/* Tells the lines one by one; `take` returns false if it refuses one, with the
 * reason in `why`.  The text is cut to pieces on the way.  False: refused, and
 * `why` begins with the line. */
bool lab_ini_read(char *text,
                  bool (*take)(void *whom, const struct lab_line *line,
                               struct net_why *why),
                  void *whom, struct net_why *why);

/* The text without blanks around it. */
char *lab_trimmed(char *text);

#endif
