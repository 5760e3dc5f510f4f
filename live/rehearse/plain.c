/*
 * plain.c - see plain.h.
 */
#include <sodium.h>
#include <string.h>

/* The key for a tag, and bytes as they are: two keys are told apart. */
static int plain_encrypt(unsigned char *c, unsigned long long *c_size,
                         const unsigned char *m, unsigned long long m_size,
                         const unsigned char *ad, unsigned long long ad_size,
                         const unsigned char *none, const unsigned char *nonce,
                         const unsigned char *key)
{
    (void)ad;
    (void)ad_size;
    (void)none;
    (void)nonce;
    memcpy(c, m, m_size);
    memcpy(c + m_size, key, crypto_aead_xchacha20poly1305_ietf_ABYTES);
    *c_size = m_size + crypto_aead_xchacha20poly1305_ietf_ABYTES;
    return 0;
}

static int plain_decrypt(unsigned char *m, unsigned long long *m_size,
                         const unsigned char *none, const unsigned char *c,
                         unsigned long long c_size, const unsigned char *ad,
                         unsigned long long ad_size, const unsigned char *nonce,
                         const unsigned char *key)
{
    (void)none;
    (void)ad;
    (void)ad_size;
    (void)nonce;
    *m_size = c_size - crypto_aead_xchacha20poly1305_ietf_ABYTES;
    memcpy(m, c, *m_size);
    return memcmp(c + *m_size, key, crypto_aead_xchacha20poly1305_ietf_ABYTES);
}

#define crypto_aead_xchacha20poly1305_ietf_encrypt plain_encrypt
#define crypto_aead_xchacha20poly1305_ietf_decrypt plain_decrypt
#define randombytes_buf(bytes, size)               memset(bytes, 0, size)
#define crypto_generichash(out, size, in, n, key, k)                           \
    ((void)(in), memcpy(out, key, size))

#include "live/rehearse/plain.h"

#include "live/wire/datagram.c"
#include "live/wire/ring.c"
