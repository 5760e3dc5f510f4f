/*
 * links.c - the contents of a link, and their changes (see links.h).
 *
 * On links that keep the order of messages the contents are a queue; on others
 * a multiset, sorted, so that equal multisets are equal bytes.
 */
#include "check/model/links.h"

void check_fit(struct check_model *m, uint32_t number, uint32_t bits)
{
    if (number >> bits)
        m->refusal = "it has more local states or messages than fit";
}

uint32_t check_message(struct check_model *m, const uint8_t *bytes)
{
    uint32_t number =
        check_intern(&m->messages, &m->memory, bytes, m->type->msg_size);

    check_fit(m, number, CHECK_MESSAGE_BITS);
    return number;
}

bool check_mail_before(const struct check_model *m, const struct check_mail *a,
                       const struct check_mail *b)
{
    if (a->msg != b->msg)
        return memcmp(check_bytes(&m->messages, a->msg, NULL),
                      check_bytes(&m->messages, b->msg, NULL),
                      m->type->msg_size) < 0;
    return a->age != b->age ? a->age < b->age : a->late < b->late;
}

static void insert(const struct check_model *m, struct check_mail *list,
                   uint32_t *count, struct check_mail mail)
{
    uint32_t at = (*count)++;

    for (; m->any_order && at > 0 && check_mail_before(m, &mail, &list[at - 1]);
         at--)
        list[at] = list[at - 1];
    list[at] = mail;
}

/* All of them one tick older. */
static void age(const struct check_model *m, struct check_mail *list,
                uint32_t *count, bool drop)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < *count; i++) {
        struct check_mail mail = list[i];

        if (drop && mail.age >= m->dmax + mail.late)
            continue;
        mail.age++;
        list[kept++] = mail;
    }
    *count = kept;
}

struct asked {
    uint32_t content;
    enum check_change change;
    uint32_t what;
};

static uint32_t compute(struct check_model *m, const void *asked)
{
    const struct asked *a = asked;
    uint32_t what = a->what;
    struct check_mail list[CHECK_MAILS_MAX + 1], mail;
    uint32_t count;
    const struct check_mail *mails = check_mails(m, a->content, &count);

    if (count >= CHECK_MAILS_MAX) {
        m->refusal = "more than 512 messages are on one link";
        return 0;
    }
    if (count)
        memcpy(list, mails, count * sizeof *list);
    switch (a->change) {
    case CHECK_MAIL_PUSH:
        insert(m, list, &count, (struct check_mail){.msg = what});
        break;
    case CHECK_MAIL_TAKE:
        memmove(list + what, list + what + 1, (--count - what) * sizeof *list);
        break;
    case CHECK_MAIL_COPY: /* it is sent again */
        insert(m, list, &count, (struct check_mail){.msg = list[what].msg});
        break;
    case CHECK_MAIL_DELAY:
        mail = list[what];
        mail.late = (uint16_t)m->setup->late_ticks;
        memmove(list + what, list + what + 1, (--count - what) * sizeof *list);
        if (m->any_order) {
            insert(m, list, &count, mail);
        } else {
            memmove(list + what + 1, list + what,
                    (count++ - what) * sizeof *list);
            list[what] = mail;
        }
        break;
    case CHECK_MAIL_AGE:
    case CHECK_MAIL_AGE_AND_DROP:
        age(m, list, &count, a->change == CHECK_MAIL_AGE_AND_DROP);
        break;
    }
    return check_intern(&m->contents, &m->memory, list, count * sizeof *list);
}

uint32_t check_change(struct check_model *m, uint32_t content,
                      enum check_change change, uint32_t what)
{
    return check_memoised(m, &m->content_memo,
                          check_change_question(content, change, what), compute,
                          &(struct asked){content, change, what});
}
