/* SPDX-License-Identifier: MIT
 *
 * Reads environment variables, and numbers from them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include "util/environment.h"
#include "util/log.h"

#define ENGINE_LIMITS   12u
#define DEFAULT_HANG_MS 10000u
#define MAX_HANG_MS     86400000u /* a day */

const char *util_environment(const char *name)
{
    const char *text = secure_getenv(name);
    return text && *text ? text : NULL;
}

bool util_environment_is_untrusted(void)
{
    return getauxval(AT_SECURE) != 0;
}

uint32_t util_environment_number(const char *name, uint32_t max)
{
    const char *text = util_environment(name);
    if (!text)
        return 0;
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    if (!*end && n >= 1 && n <= max)
        return (uint32_t)n;
    util_warn("%s=%s: not a number from 1 to %" PRIu32, name, text, max);
    return 0;
}

uint64_t util_hang_limit_ns(void)
{
    uint32_t ms = util_environment_number("VC4VK_HANG_MS", MAX_HANG_MS);
    return UINT64_C(1000000) * (ms ? ms : DEFAULT_HANG_MS);
}

uint64_t util_engine_hang_limit_ns(void)
{
    return ENGINE_LIMITS * util_hang_limit_ns();
}
