/*
 * symmetry.c - states that differ only in names are one (see
 * check/model/symmetry.h).
 *
 * On a ring whose nodes are alike, all rotations of a state are one.  In a
 * complete network the nodes may be renamed, if the protocol's rules neither
 * compare their indices nor compute with them (P_symmetric in fc.h): node 0 is
 * special, the others are interchangeable as far as the setup treats them
 * alike.  Renaming moves local states and the contents of links, and changes
 * the indices that stand in them.
 *
 * Their representative is the least, compared by contents: numbers are given in
 * the order of arrival, which differs from one search to the next where several
 * threads work.
 */
#include "check/model/symmetry.h"

#include "check/model/expand.h"
#include "check/model/links.h"
#include "problems/mutex.h"

/* ---- Where it may be ----------------------------------------------------- */

/* Why nodes of a ring are not alike, or NULL. */
static const char *why_not_turned(const struct check_setup *s)
{
    uint32_t all = (1u << s->net.world.nodes) - 1;

    if (s->waking == CHECK_WAKE_LISTED && (s->listed & all) != all)
        return "the nodes that start differ from the others";
    if (s->cuts)
        return "a partition makes the nodes of a ring differ";
    if ((s->crashes || s->pauses) && (s->victims & all) != all)
        return "the nodes that may fail differ from the others";
    if (s->net.time == NET_ARCHIMEDEAN && s->net.clock >= NET_CLOCK_ADVERSARY)
        return "the given clocks make the nodes differ";
    return NULL;
}

const char *check_asymmetric(const struct check_setup *s)
{
    const struct net_type *type = net_type_of(&s->net);

    if (type->protocol->anonymous && !type->protocol->marked &&
        type->protocol->topology == FC_RING)
        return why_not_turned(s);
    if (!type->relabel)
        return "it is for rings without names, where all nodes are alike, and "
               "for protocols that never compare indices: central, "
               "central-clock, naimi-trehel";
    if (type->remembers && (s->properties & MUTEX_TOKEN_GROWS) &&
        (s->copies || (s->crashes && s->back == CHECK_RETURN_BLANK)))
        return "where numbers may be given twice, tokens are compared by "
               "index: exclude token-grows with --only";
    return NULL;
}

/* Whether the setup treats two nodes alike. */
static bool are_alike(const struct check_model *m, uint32_t a, uint32_t b)
{
    const struct check_setup *s = m->setup;
    uint64_t least[2], greatest[2];

    check_lengths(m, a, &least[0], &greatest[0]);
    check_lengths(m, b, &least[1], &greatest[1]);
    return (s->listed >> a & 1) == (s->listed >> b & 1) &&
           (s->victims >> a & 1) == (s->victims >> b & 1) &&
           least[0] == least[1] && greatest[0] == greatest[1];
}

static void add_naming(struct check_model *m, const uint16_t *to)
{
    struct check_naming *n = &m->namings[m->namings_count++];

    for (uint32_t i = 0; i < m->nodes; i++) {
        n->to[i] = to[i];
        n->from[to[i]] = (uint16_t)i;
    }
}

/* All ways to name the nodes from `node` on; the first is the identity. */
static void find_namings(struct check_model *m, uint32_t node, uint32_t taken,
                         uint16_t *to)
{
    if (m->refusal)
        return;
    if (node == m->nodes) {
        if (m->namings_count == CHECK_NAMINGS_MAX)
            m->refusal = "--symmetry tries all names of interchangeable nodes: "
                         "take at most 6 nodes";
        else
            add_naming(m, to);
        return;
    }
    for (uint32_t i = 0; i < m->nodes; i++) {
        bool fits = node && i ? are_alike(m, node, i) : i == node;

        if (!fits || (taken >> i & 1))
            continue;
        to[node] = (uint16_t)i;
        find_namings(m, node + 1, taken | 1u << i, to);
    }
}

/* The greatest of two tokens with the same number has the greater index, which
 * has no meaning here: if it does not count, nothing is remembered. */
static bool must_remember(const struct check_model *m)
{
    return m->type->remembers && (m->setup->properties & MUTEX_TOKEN_GROWS);
}

bool check_symmetry_begin(struct check_model *m)
{
    uint16_t to[CHECK_NODES_MAX];

    assert(m->local_size <= CHECK_LOCAL_MAX);
    if (!m->setup->symmetry)
        return true;
    m->refusal = check_asymmetric(m->setup);
    if (!m->refusal && !m->alike) {
        find_namings(m, 0, 0, to);
        m->remembers = must_remember(m);
    }
    return !m->refusal;
}

/* ---- The order of what numbers stand for --------------------------------- */

static int compare_locals(const struct check_model *m, uint32_t node,
                          uint32_t a, uint32_t b)
{
    const struct check_intern *t = &m->locals[m->alike ? 0 : node].packed;
    size_t size, other_size;
    const uint8_t *p = check_bytes(t, a, &size);
    const uint8_t *q = check_bytes(t, b, &other_size);

    /* Neither is a prefix of the other. */
    return memcmp(p, q, size < other_size ? size : other_size);
}

static int compare_contents(const struct check_model *m, uint32_t a, uint32_t b)
{
    uint32_t count, other;
    const struct check_mail *x = check_mails(m, a, &count);
    const struct check_mail *y = check_mails(m, b, &other);

    if (count != other)
        return count < other ? -1 : 1;
    while (x->msg == y->msg && x->age == y->age && x->late == y->late) {
        x++;
        y++;
    }
    return check_mail_before(m, x, y) ? -1 : 1;
}

/* ---- Rings --------------------------------------------------------------- */

uint32_t check_rotation(const struct check_model *m, const uint32_t *vector)
{
    uint32_t n = m->nodes, each = m->cells_at / n, best = 0;

    for (uint32_t r = 1; r < n; r++)
        for (uint32_t i = 0; i < n * each; i++) {
            uint32_t a = vector[(best * each + i) % (n * each)];
            uint32_t b = vector[(r * each + i) % (n * each)];

            if (a == b)
                continue;
            if ((i % each ? compare_contents(m, a, b)
                          : compare_locals(m, 0, a, b)) > 0)
                best = r;
            break;
        }
    return best;
}

void check_rotate(const struct check_model *m, struct check_spread *s,
                  uint32_t by)
{
    uint32_t total = m->cells_at, each = total / m->nodes;
    uint32_t turned[CHECK_PLACES_MAX];

    for (uint32_t i = 0; i < total; i++)
        turned[i] = s->id[(by * each + i) % total];
    for (uint32_t i = 0; i < total; i++)
        check_set(&m->tree, s, i, turned[i]);
}

/* ---- Names --------------------------------------------------------------- */

enum what { LOCAL, CONTENT, BUDGET };

static uint32_t rename_local(struct check_model *m, uint32_t node,
                             uint32_t number, const struct check_naming *n)
{
    _Alignas(8) uint8_t bytes[CHECK_LOCAL_MAX];

    check_local_load(m, node, number, bytes);
    m->type->relabel(bytes + sizeof(struct check_head), n->to, m->nodes);
    return check_local(m, n->to[node], bytes);
}

static uint32_t rename_message(struct check_model *m, uint32_t msg,
                               const struct check_naming *n)
{
    _Alignas(8) uint8_t bytes[CHECK_LOCAL_MAX];

    memcpy(bytes, check_bytes(&m->messages, msg, NULL), m->type->msg_size);
    m->type->relabel_msg(bytes, n->to, m->nodes);
    return check_message(m, bytes);
}

static uint32_t rename_content(struct check_model *m, uint32_t number,
                               const struct check_naming *n)
{
    struct check_mail list[CHECK_MAILS_MAX + 1];
    uint32_t count;

    (void)check_mails(m, number, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct check_mail mail = check_mails(m, number, &count)[i];
        uint32_t at = i;

        mail.msg = rename_message(m, mail.msg, n);
        for (; m->any_order && at > 0 &&
               check_mail_before(m, &mail, &list[at - 1]);
             at--)
            list[at] = list[at - 1];
        list[at] = mail;
    }
    return check_intern(&m->contents, &m->memory, list, count * sizeof *list);
}

static uint32_t rename_budget(struct check_model *m, uint32_t number,
                              const struct check_naming *n)
{
    struct check_budget b;
    uint16_t apart = 0;

    memcpy(&b, check_bytes(&m->budgets, number, NULL), sizeof b);
    for (uint32_t i = 0; i < m->nodes; i++)
        if (b.apart >> i & 1)
            apart = (uint16_t)(apart | 1u << n->to[i]);
    b.apart = apart;
    b.memory = m->type->relabel_memory(b.memory, n->to);
    return check_intern(&m->budgets, &m->memory, &b, sizeof b);
}

struct asked {
    enum what what;
    uint32_t node, number, naming;
};

static uint32_t compute(struct check_model *m, const void *asked)
{
    const struct asked *a = asked;
    const struct check_naming *n = &m->namings[a->naming];

    switch (a->what) {
    case LOCAL:
        return rename_local(m, a->node, a->number, n);
    case CONTENT:
        return rename_content(m, a->number, n);
    default:
        return rename_budget(m, a->number, n);
    }
}

/* The number that this has after renaming. */
static uint32_t renamed(struct check_model *m, enum what what, uint32_t node,
                        uint32_t number, uint32_t naming)
{
    uint64_t question = (uint64_t)number << 32 | (uint64_t)what << 24 |
                        (uint64_t)node << 16 | naming;
    const uint32_t *known;

    if (naming == 0 || (what == CONTENT && number == 0))
        return number;
    known = check_recall(&m->naming_memo, question);
    return known ? *known
                 : check_memoised(m, &m->naming_memo, question, compute,
                                  &(struct asked){what, node, number, naming});
}

static uint32_t renamed_local(struct check_model *m, const uint32_t *vector,
                              uint32_t node, uint32_t naming)
{
    uint32_t from = m->namings[naming].from[node];

    return renamed(m, LOCAL, from, vector[m->local_at[from]], naming);
}

static uint32_t renamed_link(struct check_model *m, const uint32_t *vector,
                             uint32_t link, uint32_t naming)
{
    const uint16_t *from = m->namings[naming].from;
    uint32_t old = check_link_named(m, link, from);

    return renamed(m, CONTENT, 0, vector[m->link_at[old]], naming);
}

/* The order of a vector as two namings have it.  Nodes come first, because they
 * differ most often; those that may be renamed before the one that may not. */
static int compare_namings(struct check_model *m, const uint32_t *vector,
                           uint32_t x, uint32_t y)
{
    uint32_t a, b;

    for (uint32_t i = 1; i <= m->nodes; i++) {
        uint32_t node = i % m->nodes;

        a = renamed_local(m, vector, node, x);
        b = renamed_local(m, vector, node, y);
        if (!check_sound(m))
            return 0;
        if (a != b)
            return compare_locals(m, node, a, b);
    }
    for (uint32_t l = 0; l < m->links_count; l++) {
        a = renamed_link(m, vector, l, x);
        b = renamed_link(m, vector, l, y);
        if (!check_sound(m))
            return 0;
        if (a != b)
            return compare_contents(m, a, b);
    }
    if (!m->budgeted)
        return 0;
    a = renamed(m, BUDGET, 0, vector[m->budget_at], x);
    b = renamed(m, BUDGET, 0, vector[m->budget_at], y);
    if (a == b || !check_sound(m))
        return 0;
    return memcmp(check_bytes(&m->budgets, a, NULL),
                  check_bytes(&m->budgets, b, NULL),
                  sizeof(struct check_budget));
}

uint32_t check_best_naming(struct check_model *m, const uint32_t *vector)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < m->namings_count; i++)
        if (compare_namings(m, vector, best, i) > 0)
            best = i;
    return best;
}

void check_rename(struct check_model *m, struct check_spread *s,
                  uint32_t naming)
{
    uint32_t was[CHECK_PLACES_MAX];

    if (naming == 0)
        return;
    memcpy(was, s->id, m->places * sizeof was[0]);
    for (uint32_t i = 0; i < m->nodes; i++)
        check_set(&m->tree, s, m->local_at[i],
                  renamed_local(m, was, i, naming));
    for (uint32_t l = 0; l < m->links_count; l++)
        check_set(&m->tree, s, m->link_at[l], renamed_link(m, was, l, naming));
    if (m->budgeted)
        check_set(&m->tree, s, m->budget_at,
                  renamed(m, BUDGET, 0, was[m->budget_at], naming));
}

void check_finish(struct check_model *m, struct check_spread *s)
{
    if (m->namings_count > 1)
        check_rename(m, s, check_best_naming(m, s->id));
    else if (m->setup->symmetry && m->alike)
        check_rotate(m, s, check_rotation(m, s->id));
    check_tree_fold(&m->tree, s);
}
