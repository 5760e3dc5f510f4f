/*
 * field.h - the fields of a local state by name, for people.
 *
 * A state is flat bytes to everything that copies, compares and hashes it.
 * Where a person looks at one, this table says what its bytes are:
 *
 *     FC_STATE_FIELDS(raymond_k) = {
 *         FIELD(NUMBER, number),
 *         FIELD_EACH(NUMBER, missing),
 *         FIELD_WORD(role, MUTEX_ROLES),
 *         ...
 *     };
 *
 * Everything except padding is named, in any order; the contract suite finds
 * bytes that are not.  A field goes by the name of its member.
 */
#ifndef FC_FIELD_H
#define FC_FIELD_H

#include <stddef.h>
#include <stdint.h>

/* What a value is, whatever its size. */
enum fc_field_kind {
    FC_FIELD_NUMBER,
    FC_FIELD_SIGNED, /* a number that may be negative */
    FC_FIELD_CLOCK,  /* a time by the node's own clock */
    FC_FIELD_YES,    /* or no, which is 0 */
    FC_FIELD_WORD,   /* the word at this position of a list */
    FC_FIELD_FLAGS,  /* a bit for each word of a list */
    FC_FIELD_NAME,   /* of a node; 0: nobody */
    FC_FIELD_NODE,   /* the index of a node */
    FC_FIELD_MAYBE,  /* 1 + the index of a node; 0: nobody */
    FC_FIELD_NODES,  /* a set of nodes: a struct fc_set, or the bits of a
                      * number */
    FC_FIELD_LINK,   /* one of the node's links; any other number: itself */
    FC_FIELD_LINKS,  /* a set of its links */
};

/* The number of values of a field, and which of them count. */
enum fc_field_form {
    FC_FIELD_ONE,
    FC_FIELD_LIST,  /* all of them */
    FC_FIELD_QUEUE, /* the first N, where another member is N */
    FC_FIELD_EACH,  /* one for each node, by its index */
    FC_FIELD_PAIRS, /* one for each pair of nodes: `count` is a square */
};

struct fc_field {
    const char *name;
    uint8_t kind, form;
    uint16_t size; /* of a value */
    uint32_t offset, count,
        stride; /* of the first; their number; their distance */
    uint32_t used_offset, used_size; /* FC_FIELD_QUEUE: that member */
    const char *const *words;
    uint32_t words_count;
    const char *letters; /* of its values, in the bar of a candidate; or NULL */
    /* NULL: the value is as stored.  Otherwise its meaning depends on the
     * place of the node: FC_FIELD_VALUE(). */
    uint64_t (*value)(const void *state, const void *params, const void *site);
};

/* The head of P's table. */
#define FC_STATE_FIELDS(P)                                                     \
    FC_UNUSED static const struct fc_field P##_state_fields[]

/* Rows of the table, for the members of struct TURN (core/turn.inc).  KIND is
 * the end of an enumerator above. */
#define FIELD(KIND, MEMBER)     FIELD_OF(TURN, KIND, MEMBER)
#define FIELD_WORD(MEMBER, ...) FIELD_WORD_OF(TURN, MEMBER, __VA_ARGS__)
#define FIELD_FLAGS(MEMBER, ...)                                               \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, FLAGS, ONE, MEMBER, MEMBER),                  \
            FIELD_WORDS(__VA_ARGS__)                                           \
    }
/* A letter for each value stands in pictures. */
#define FIELD_LETTERS(KIND, MEMBER, LETTERS)                                   \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, KIND, ONE, MEMBER, MEMBER),                   \
            .letters = (LETTERS)                                               \
    }
/* Of another struct, with which this one begins. */
#define FIELD_OF(P, KIND, MEMBER)                                              \
    {                                                                          \
        FIELD_ROW(#MEMBER, P, KIND, ONE, MEMBER, MEMBER)                       \
    }
#define FIELD_WORD_OF(P, MEMBER, ...)                                          \
    {                                                                          \
        FIELD_ROW(#MEMBER, P, WORD, ONE, MEMBER, MEMBER),                      \
            FIELD_WORDS(__VA_ARGS__)                                           \
    }
/* Under another name; VALUE: its value is not as stored, or NULL. */
#define FIELD_AS(NAME, KIND, MEMBER, VALUE)                                    \
    {                                                                          \
        FIELD_ROW(NAME, TURN, KIND, ONE, MEMBER, MEMBER), .value = (VALUE)     \
    }
/* Arrays. */
#define FIELD_LIST(KIND, MEMBER)                                               \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, KIND, LIST, MEMBER, MEMBER[0])                \
    }
#define FIELD_EACH(KIND, MEMBER)                                               \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, KIND, EACH, MEMBER, MEMBER[0])                \
    }
#define FIELD_PAIRS(KIND, MEMBER)                                              \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, KIND, PAIRS, MEMBER, MEMBER[0][0])            \
    }
#define FIELD_QUEUE(KIND, MEMBER, USED)                                        \
    {                                                                          \
        FIELD_ROW(#MEMBER, TURN, KIND, QUEUE, MEMBER, MEMBER[0]),              \
            .used_offset = offsetof(struct TURN, USED),                        \
            .used_size = sizeof(FIELD_MEMBER(TURN, USED))                      \
    }
/* A member of each struct of an array that has one for each node. */
#define FIELD_EACH_IN(KIND, ARRAY, MEMBER)                                     \
    {                                                                          \
        FIELD_IN(KIND, ARRAY, MEMBER)                                          \
    }

/* What rows are made of. */
#define FIELD_ROW(NAME, P, KIND, FORM, MEMBER, FIRST)                          \
    .name = (NAME), .kind = FC_FIELD_##KIND, .form = FC_FIELD_##FORM,          \
    .size = sizeof(FIELD_MEMBER(P, FIRST)),                                    \
    .offset = offsetof(struct P, MEMBER),                                      \
    .count = sizeof(FIELD_MEMBER(P, MEMBER)) / sizeof(FIELD_MEMBER(P, FIRST)), \
    .stride = sizeof(FIELD_MEMBER(P, FIRST))
#define FIELD_IN(KIND, ARRAY, MEMBER)                                          \
    .name = #ARRAY "." #MEMBER, .kind = FC_FIELD_##KIND,                       \
    .form = FC_FIELD_EACH,                                                     \
    .size = sizeof(FIELD_MEMBER(TURN, ARRAY[0].MEMBER)),                       \
    .offset = offsetof(struct TURN, ARRAY[0].MEMBER),                          \
    .count = sizeof(FIELD_MEMBER(TURN, ARRAY)) /                               \
             sizeof(FIELD_MEMBER(TURN, ARRAY[0])),                             \
    .stride = sizeof(FIELD_MEMBER(TURN, ARRAY[0]))
#define FIELD_WORDS(...)                                                       \
    .words = (const char *const[]){__VA_ARGS__},                               \
    .words_count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)
#define FIELD_MEMBER(P, MEMBER) (((struct P *)0)->MEMBER)

/* The head of a function that tells the value of a member, for FIELD_AS(NAME,
 * KIND, MEMBER, P_NAME). */
#define FC_FIELD_VALUE(P, NAME)                                                \
    static inline uint64_t P##_##NAME##_of(const struct P *s,                  \
                                           const struct P##_params *p,         \
                                           const struct P##_site *me);         \
    FC_UNUSED static uint64_t P##_##NAME(const void *s, const void *p,         \
                                         const void *me)                       \
    {                                                                          \
        return P##_##NAME##_of(s, p, me);                                      \
    }                                                                          \
    static inline uint64_t P##_##NAME##_of(                                    \
        const struct P *s, const struct P##_params *p FC_UNUSED,               \
        const struct P##_site *me)

#endif
