/*
 * links.h - the contents of a link, and their changes (links.c).
 */
#ifndef CHECK_MODEL_LINKS_H
#define CHECK_MODEL_LINKS_H

#include "check/model/model.h"

/* More messages than this on one link: a flood, and an infinite state space. */
enum { CHECK_MAILS_MAX = 512 };

/* A message in flight. */
struct check_mail {
    uint32_t msg;
    uint16_t age;  /* ticks since it was sent */
    uint16_t late; /* ticks that it may be later than dmax */
};

/* The number of a message. */
uint32_t check_message(struct check_model *m, const uint8_t *bytes);

/* The messages on a link, oldest first where the link keeps their order. */
static inline const struct check_mail *
check_mails(const struct check_model *m, uint32_t content, uint32_t *count)
{
    size_t size;
    const uint8_t *bytes = check_bytes(&m->contents, content, &size);

    *count = (uint32_t)(size / sizeof(struct check_mail));
    return (const struct check_mail *)(const void *)bytes;
}

/* The order in which messages stand on a link that keeps none: by their bytes,
 * so that a place means the same message in every model of the same setup. */
bool check_mail_before(const struct check_model *m, const struct check_mail *a,
                       const struct check_mail *b);

/* What can happen to it: computed once, then remembered. */
enum check_change {
    CHECK_MAIL_PUSH, /* a message enters */
    CHECK_MAIL_TAKE, /* the one at a place leaves */
    CHECK_MAIL_COPY,
    CHECK_MAIL_DELAY,
    CHECK_MAIL_AGE,          /* a tick passes */
    CHECK_MAIL_AGE_AND_DROP, /* and what arrives by now is missed */
};

static inline uint64_t
check_change_question(uint32_t content, enum check_change change, uint32_t what)
{
    return (uint64_t)content << 32 | (uint64_t)change << 28 | what;
}

uint32_t check_change(struct check_model *m, uint32_t content,
                      enum check_change change, uint32_t what);

static inline uint32_t check_changed(struct check_model *m, uint32_t content,
                                     enum check_change change, uint32_t what)
{
    const uint32_t *known = check_recall(
        &m->content_memo, check_change_question(content, change, what));

    return known ? *known : check_change(m, content, change, what);
}

/* Whether a message between these two gets lost at once. */
static inline bool check_is_apart(const struct check_budget *b, uint32_t from,
                                  uint32_t to)
{
    return (b->apart >> from & 1) != (b->apart >> to & 1);
}

#endif
