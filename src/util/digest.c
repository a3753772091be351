/* SPDX-License-Identifier: MIT */
#include "util/digest.h"

#include <sys/types.h>
#include <sha2.h>

struct util_digest util_digest_two(const void *a, size_t a_B, const void *b, size_t b_B)
{
    struct util_digest digest;
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, a, a_B);
    if (b_B)
        SHA256Update(&context, b, b_B);
    SHA256Final(digest.bytes, &context);
    return digest;
}

struct util_digest util_digest_bytes(const void *data, size_t size_B)
{
    return util_digest_two(data, size_B, NULL, 0);
}
