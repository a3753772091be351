/* SPDX-License-Identifier: MIT
 *
 * The texts of the rules, and the last refusal of each thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "model/kernel/krn_refuse.h"
#include "model/model.h"

static _Thread_local char last_refusal[256];

static const char *const rule_text[KRN_RULE_COUNT] = {
#define X(name, text) [KRN_RULE_##name] = text,
    KRN_RULES(X)
#undef X
};

const char *krn_rule_text(enum krn_rule rule)
{
    return rule_text[rule];
}

static void UTIL_PRINTF(2, 0) record_refusal(enum krn_rule rule, const char *fmt, va_list va)
{
    int n = snprintf(last_refusal, sizeof last_refusal, "%s: ", rule_text[rule]);
    if (n > 0 && (size_t)n < sizeof last_refusal)
        vsnprintf(last_refusal + n, sizeof last_refusal - (size_t)n, fmt, va);
}

int krn_refuse(enum krn_rule rule, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    record_refusal(rule, fmt, va);
    va_end(va);
    return -EINVAL;
}

int krn_refuse_as(int err, enum krn_rule rule, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    record_refusal(rule, fmt, va);
    va_end(va);
    return err;
}

void krn_clear_refusal(void)
{
    last_refusal[0] = 0;
}

const char *model_last_refusal(void)
{
    return last_refusal;
}
