/*
 * letter.c - see letter.h.
 */
#include "live/common/letter.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for what comes with a letter. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(LIVE_FILES_MAX * sizeof(int))];
};

/* The bytes of the UTF-8 character that begins here: 0 if there is none, or it
 * has a longer form than need be, is half of a pair, or a control character. */
static size_t character(const uint8_t *at)
{
    uint32_t code = at[0];
    size_t size = code < 0x80 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (size == 1)
        return code >= ' ' && code != 0x7f;
    if (code < 0xc0 || code > 0xf4)
        return 0;
    code &= 0x7fu >> size;
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) /* the end, too */
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    if (code < least[size] || code < 0xa0 || code > 0x10ffff ||
        (code >= 0xd800 && code < 0xe000))
        return 0;
    return size;
}

bool live_lock_name_is_good(const char *name)
{
    size_t size = strnlen(name, LIVE_LOCK_NAME_PLACE), next;

    if (size == 0 || size > LIVE_LOCK_NAME_MAX)
        return false;
    for (size_t at = 0; at < size; at += next) {
        next = character((const uint8_t *)name + at);
        if (next == 0)
            return false;
    }
    return true;
}

const char *live_order_words(enum live_order_kind kind)
{
    static const char *const words[LIVE_ORDERS] = {
        [LIVE_KEY_ADD] = "key add",    [LIVE_KEY_USE] = "key use",
        [LIVE_KEY_DROP] = "key drop",  [LIVE_NODE_ADD] = "add",
        [LIVE_NODE_REMOVE] = "remove", [LIVE_NODE_REPLACE] = "replace",
        [LIVE_TIMES_SET] = "set",      [LIVE_CHANGE_CANCEL] = "cancel",
    };

    return words[kind];
}

bool live_letter_of_client(const struct live_letter *letter, size_t size)
{
    if (size != sizeof *letter || letter->version != LIVE_LETTER_VERSION)
        return false;
    switch (letter->kind) {
    case LIVE_ASK:
        return letter->shared <= 1 && live_lock_name_is_good(letter->name);
    case LIVE_ORDER:
        return letter->shared < LIVE_ORDERS &&
               (!letter->name[0] || live_lock_name_is_good(letter->name)) &&
               memchr(letter->reason, 0, sizeof letter->reason);
    case LIVE_RELEASE:
    case LIVE_STATUS:
        return true;
    default:
        return false;
    }
}

bool live_letter_of_daemon(struct live_letter *letter, size_t size)
{
    if (size != sizeof *letter || letter->version != LIVE_LETTER_VERSION)
        return false;
    letter->name[sizeof letter->name - 1] = '\0';
    letter->reason[sizeof letter->reason - 1] = '\0';
    return true;
}

/* ---- On their way -------------------------------------------------------- */

int live_letter_send(int socket, const struct live_letter *letter,
                     const int *files, size_t count, int flags)
{
    union control control = {0};
    struct live_letter sent = *letter;
    struct iovec part = {&sent, sizeof sent};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t size;

    sent.version = LIVE_LETTER_VERSION;
    if (count > 0) {
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = (socklen_t)CMSG_LEN(count * sizeof *files);
        memcpy(CMSG_DATA(&control.header), files, count * sizeof *files);
        header.msg_control = control.bytes;
        header.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof *files);
    }
    do
        size = sendmsg(socket, &header, flags | MSG_NOSIGNAL);
    while (size < 0 && errno == EINTR);
    return size == (ssize_t)sizeof sent ? 0 : -1;
}

static void take_files(struct msghdr *header, struct live_enclosed *e)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c;
         c = CMSG_NXTHDR(header, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len;
             at += sizeof(int), e->count++) {
            int file;

            memcpy(&file, (const char *)c + at, sizeof file);
            if (e->count < LIVE_FILES_MAX)
                e->files[e->count] = file;
            else /* alignment leaves room for one that was not asked for */
                close(file);
        }
    }
    e->lacks = header->msg_flags & MSG_CTRUNC;
}

ssize_t live_letter_receive(int socket, struct live_letter *letter,
                            struct live_enclosed *e, int flags)
{
    union control control;
    struct iovec part = {letter, sizeof *letter};
    struct msghdr header = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen =
                                CMSG_LEN(LIVE_FILES_MAX * sizeof(int))};
    ssize_t size =
        recvmsg(socket, &header, flags | MSG_TRUNC | MSG_CMSG_CLOEXEC);

    *e = (struct live_enclosed){.files = {-1, -1, -1}};
    if (size >= 0)
        take_files(&header, e);
    return size;
}

void live_enclosed_drop(struct live_enclosed *e)
{
    for (int i = 0; i < LIVE_FILES_MAX; i++) {
        if (e->files[i] >= 0)
            close(e->files[i]);
        e->files[i] = -1;
    }
}

/* ---- Clocks -------------------------------------------------------------- */

/* 0: there is no such file. */
static uint64_t inode_of(const char *path)
{
    struct stat found;

    return stat(path, &found) ? 0 : (uint64_t)found.st_ino;
}

uint64_t live_time_namespace(void)
{
    uint64_t own = inode_of("/proc/self/ns/time");

    return own == inode_of("/proc/self/ns/time_for_children") ? own
                                                              : UINT64_MAX;
}
