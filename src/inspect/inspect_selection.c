/* SPDX-License-Identifier: MIT
 *
 * Parses VC4VK_INSPECT and decides which frames are inspected.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "inspect/inspect_selection.h"

/* Reads a number >= 1 and advances `*at` past it. False when there is none. */
static bool take_number(const char **at, uint64_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    *out = strtoull(*at, &end, 10);
    *at = end;
    return !errno && *out > 0;
}

static bool take_range(const char **at, struct inspect_range *out)
{
    if (!take_number(at, &out->first))
        return false;
    out->last = out->first;
    if (**at != '-')
        return true;
    ++*at;
    if (**at == ',' || !**at)
        out->last = UINT64_MAX;
    else if (!take_number(at, &out->last))
        return false;
    return out->last >= out->first;
}

static bool parse_which(struct inspect_selection *when, const char *at)
{
    static const char submits[] = "submits";
    for (;;) {
        if (!strncmp(at, submits, sizeof submits - 1)) {
            when->by_submits = true;
            at += sizeof submits - 1;
        } else if (when->range_count == INSPECT_RANGES_MAX || !take_range(&at, &when->ranges[when->range_count])) {
            return false;
        } else {
            when->range_count++;
        }
        if (!*at)
            return true;
        if (*at++ != ',')
            return false;
    }
}

bool inspect_selection_parse(struct inspect_selection *when, const char *value)
{
    const char *colon = strrchr(value, ':');
    *when = (struct inspect_selection){0};
    size_t dir_B = strlen(value);
    if (colon && parse_which(when, colon + 1))
        dir_B = (size_t)(colon - value);
    else
        *when = (struct inspect_selection){0};
    if (!dir_B || dir_B >= sizeof when->dir)
        return false;
    memcpy(when->dir, value, dir_B);
    if (!when->range_count)
        when->ranges[when->range_count++] = (struct inspect_range){1, 1};
    return true;
}

bool inspect_selection_has(const struct inspect_selection *when, uint64_t frame)
{
    char now[INSPECT_DIR_MAX_B + 8];
    for (uint32_t i = 0; i < when->range_count; i++)
        if (frame >= when->ranges[i].first && frame <= when->ranges[i].last)
            return true;
    snprintf(now, sizeof now, "%s/now", when->dir);
    return unlink(now) == 0;
}
