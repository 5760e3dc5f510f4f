/*
 * config_file.c - see config.h: the file of a cluster on disk, its hash, the
 * times that follow from it, and the file of the key.
 */
#include "live/config/config_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/wire.h"
#include "net/why.h"

static void hash_number(crypto_generichash_state *state, uint64_t number)
{
    uint8_t bytes[8];

    fc_put64(bytes, number);
    crypto_generichash_update(state, bytes, sizeof bytes);
}

uint64_t live_config_hash(const struct live_config *c)
{
    crypto_generichash_state state;
    uint8_t digest[crypto_generichash_BYTES_MIN];

    crypto_generichash_init(&state, NULL, 0, sizeof digest);
    hash_number(&state, c->generation);
    hash_number(&state, c->first_count);
    for (uint32_t i = 0; i < c->first_count; i++) {
        crypto_generichash_update(&state, (const uint8_t *)c->nodes[i].name,
                                  strlen(c->nodes[i].name) + 1);
        if (c->nodes[i].witness) /* a name has no such beginning */
            crypto_generichash_update(&state, (const uint8_t *)".witness", 9);
    }
    hash_number(&state, c->tau);
    hash_number(&state, c->lease);
    hash_number(&state, c->spread_ppm);
    if (c->mode == LIVE_SILENCE) {
        hash_number(&state, c->dmax);
        hash_number(&state, c->step);
    }
    crypto_generichash_final(&state, digest, sizeof digest);
    return fc_get64(digest);
}

uint64_t live_config_stretch(const struct live_config *c, uint64_t time)
{
    uint64_t gamma = 1000000 - c->spread_ppm;

    return (time * 1000000 + gamma - 1) / gamma;
}

bool live_config_load(struct live_config *config, const char *path,
                      struct net_why *error)
{
    static char text[LIVE_CONFIG_MAX + 1];
    size_t size = 0;
    ssize_t got = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return net_fail(error, "%s: %s; name a file with -c", path,
                        strerror(errno));
    while (size < sizeof text &&
           (got = read(file, text + size, sizeof text - size)) > 0)
        size += (size_t)got;
    close(file);
    if (got < 0 || size > LIVE_CONFIG_MAX)
        return net_fail(error, "%s: %s; name another file", path,
                        got < 0 ? strerror(errno)
                                : "this is too long to be one");
    return live_config_parse(config, path, text, size, error);
}

bool live_config_read(struct live_config *config, const char *path,
                      struct net_why *error)
{
    if (!live_config_load(config, path, error))
        return false;
    if (!live_key_read(config->key, config->key_file, error))
        return false;
    if (!config->new_key_file[0])
        return true;
    if (!live_key_read(config->new_key, config->new_key_file, error))
        return false;
    return sodium_memcmp(config->key, config->new_key, LIVE_KEY_BYTES) != 0 ||
           net_refuse(error, "%s: %s and %s are the same key; name one of them",
                      path, config->key_file, config->new_key_file);
}

bool live_config_knows(const struct live_config *config, uint32_t id)
{
    return id < config->nodes_count && config->nodes[id].name[0];
}

uint32_t live_config_count(const struct live_config *config)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < config->nodes_count; id++)
        count += live_config_knows(config, id);
    return count;
}

int live_config_find(const struct live_config *config, const char *name)
{
    for (uint32_t i = 0; i < config->nodes_count; i++)
        if (live_config_knows(config, i) &&
            !strcmp(config->nodes[i].name, name))
            return (int)i;
    return -1;
}

uint64_t live_config_quiet(const struct live_config *config)
{
    return live_config_stretch(config, config->lease) + 2;
}

uint64_t live_config_idle(const struct live_config *config)
{
    uint64_t fifth = config->lease / 5;

    return fifth > config->tau ? fifth : config->tau;
}

void live_config_socket(const struct live_config *config, uint32_t node,
                        char path[LIVE_PATH_MAX])
{
    const char *hole = strstr(config->socket, "%i");

    /* What does not fit is longer than any socket's path, and was refused. */
    if (!hole)
        snprintf(path, LIVE_PATH_MAX, "%s", config->socket);
    else
        snprintf(path, LIVE_PATH_MAX, "%.*s%s%s", (int)(hole - config->socket),
                 config->socket, config->nodes[node].name, hole + 2);
}

/* ---- The key ------------------------------------------------------------- */

enum { DIGITS = 2 * LIVE_KEY_BYTES };

/* Whether only its owner, root or this user, can read the file. */
static bool check_owner(int file, const char *path, struct net_why *error)
{
    struct stat is;

    if (fstat(file, &is) != 0)
        return net_fail(error, "%s: %s", path, strerror(errno));
    if (!S_ISREG(is.st_mode))
        return net_refuse(
            error,
            "%s: this is not a regular file; make one with 'fulcrum keygen'",
            path);
    if (is.st_uid != 0 && is.st_uid != geteuid())
        return net_refuse(error,
                          "%s: the key belongs to user %u, who could change "
                          "it; let root or the daemon's user own it",
                          path, (unsigned)is.st_uid);
    if (is.st_mode & (S_IRWXG | S_IRWXO))
        return net_refuse(error,
                          "%s: others can read or write the key (mode %04o); "
                          "make a new one if they did, else 'chmod 600' it",
                          path, (unsigned)is.st_mode & 07777);
    return true;
}

bool live_key_take(uint8_t key[LIVE_KEY_BYTES], int file, const char *path,
                   struct net_why *error)
{
    char text[DIGITS + 2] = {0};
    size_t size = 0;
    ssize_t got;
    int code = -1;

    if (!check_owner(file, path, error))
        return false;
    got = pread(file, text, sizeof text, 0);
    if (got == DIGITS || (got == DIGITS + 1 && text[DIGITS] == '\n'))
        code = sodium_hex2bin(key, LIVE_KEY_BYTES, text, DIGITS, NULL, &size,
                              NULL);
    sodium_memzero(text, sizeof text);
    if (code == 0 && size == LIVE_KEY_BYTES)
        return true;
    sodium_memzero(key, LIVE_KEY_BYTES);
    return net_refuse(
        error,
        "%s:1: this is not a key, which is %d hexadecimal digits; "
        "make one with 'fulcrum keygen'",
        path, DIGITS);
}

bool live_key_read(uint8_t key[LIVE_KEY_BYTES], const char *path,
                   struct net_why *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool good;

    if (file < 0)
        return net_fail(error,
                        "%s: %s; make a key with 'fulcrum keygen', once for "
                        "all nodes, and copy it to each",
                        path, strerror(errno));
    good = live_key_take(key, file, path, error);
    close(file);
    return good;
}

static int write_key(int file)
{
    uint8_t key[LIVE_KEY_BYTES];
    char text[DIGITS + 2];
    ssize_t done;

    randombytes_buf(key, sizeof key);
    sodium_bin2hex(text, DIGITS + 1, key, sizeof key);
    text[DIGITS] = '\n';
    done = write(file, text, DIGITS + 1);
    sodium_memzero(key, sizeof key);
    sodium_memzero(text, sizeof text);
    if (done >= 0 && done != DIGITS + 1)
        errno = ENOSPC;
    return done == DIGITS + 1 && fsync(file) == 0 ? 0 : -1;
}

bool live_key_create(const char *path, struct net_why *error)
{
    int file, code;

    if (sodium_init() < 0)
        return net_refuse(error,
                          "libsodium finds no source of random numbers; wait "
                          "until the system has started, and try again");
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return net_fail(error,
                        errno == EEXIST
                            ? "%s: there is a file already, and it may be the "
                              "key of a cluster; name another one"
                            : "%s: %s; name a file that can be made",
                        path, strerror(errno));
    code = fchmod(file, 0600) == 0 ? write_key(file) : -1;
    if (close(file) != 0)
        code = -1;
    if (code) {
        net_fail(error, "%s: %s; nothing was kept", path, strerror(errno));
        (void)unlink(path);
    }
    return code == 0;
}
