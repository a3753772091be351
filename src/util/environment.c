/* SPDX-License-Identifier: MIT
 *
 * Numbers from environment variables.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "util/environment.h"
#include "util/log.h"

#define DEFAULT_HANG_MS 10000u
#define MAX_HANG_MS     86400000u /* a day */

uint32_t util_environment_number(const char *name, uint32_t max)
{
    const char *text = getenv(name);
    if (!text || !*text)
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
