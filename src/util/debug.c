/* SPDX-License-Identifier: MIT
 *
 * Parses VC4VK_DEBUG into flags, once, and prints the table of words for `help`.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "util/debug.h"
#include "util/environment.h"
#include "util/log.h"

static const struct {
    const char *word, *help;
} words_table[] = {
#define X(name, word, help) {word, help},
    UTIL_DEBUG_WORDS(X)
#undef X
};

static uint32_t cached_flags;
static pthread_once_t once = PTHREAD_ONCE_INIT;

uint32_t util_debug_parse(const char *words)
{
    uint32_t flags = 0;
    while (words && *words) {
        size_t len = strcspn(words, ", ");
        size_t i = 0;
        while (i < ARRAY_SIZE(words_table) &&
               (strlen(words_table[i].word) != len || strncmp(words_table[i].word, words, len)))
            i++;
        if (i < ARRAY_SIZE(words_table))
            flags |= BIT(i);
        else if (len)
            util_warn("VC4VK_DEBUG: unknown word '%.*s' (help lists them)", (int)len, words);
        words += len + (words[len] != 0);
    }
    return flags;
}

static void read_environment(void)
{
    cached_flags = util_debug_parse(util_environment("VC4VK_DEBUG"));
    if (cached_flags & UTIL_DEBUG_HELP) {
        fprintf(stderr, "VC4VK_DEBUG takes a comma-separated list of:\n");
        for (size_t i = 0; i < ARRAY_SIZE(words_table); i++)
            fprintf(stderr, "  %-16s %s\n", words_table[i].word, words_table[i].help);
    }
}

uint32_t util_debug_flags(void)
{
    pthread_once(&once, read_environment);
    return cached_flags;
}
