/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "glsl_expect.h"

/* ---------------------------------------------------------------- comments */

static uint32_t read_words(const char *text, struct word *words, uint32_t max)
{
    uint32_t count = 0;
    char *end;
    for (; count < max; text = end) {
        while (*text == ' ')
            text++;
        size_t length = strcspn(text, " \n");
        bool is_float = memchr(text, '.', length) && strncmp(text, "0x", 2);
        float x = strtof(text, &end);
        if (end == text)
            break;
        words[count].is_int = !is_float;
        words[count++].bits = is_float ? util_fui(x) : (uint32_t)strtoll(text, &end, 0);
    }
    return count;
}

static void read_line(struct expected *e, const char *line)
{
    struct word words[EXPECT_MAX_WORDS];
    if (!strncmp(line, "// push ", 8)) {
        e->push_words = read_words(line + 8, words, EXPECT_MAX_WORDS);
        for (uint32_t i = 0; i < e->push_words; i++)
            e->push[i] = words[i].bits;
    } else if (!strncmp(line, "// buffer ", 10)) {
        e->buffer_words = read_words(line + 10, words, EXPECT_MAX_WORDS);
        for (uint32_t i = 0; i < e->buffer_words; i++)
            e->buffer[i] = words[i].bits;
    } else if (!strncmp(line, "// spec ", 8) && e->spec_count < EXPECT_MAX_SPECS &&
               read_words(line + 8, words, 2) == 2) {
        e->spec_ids[e->spec_count] = words[0].bits;
        e->spec_words[e->spec_count++] = words[1].bits;
    } else if (!strncmp(line, "// todo ", 8)) {
        snprintf(e->todo, sizeof e->todo, "%.*s", (int)strcspn(line + 8, "\n"), line + 8);
    } else if (!strncmp(line, "// cpu ", 7)) {
        snprintf(e->cpu, sizeof e->cpu, "%.*s", (int)strcspn(line + 7, "\n"), line + 7);
    } else if (!strncmp(line, "// differs ", 11)) {
        snprintf(e->differs, sizeof e->differs, "%.*s", (int)strcspn(line + 11, "\n"), line + 11);
    } else if (!strncmp(line, "// out", 6) && e->out_count < ARRAY_SIZE(e->outs)) {
        struct expectation *out = &e->outs[e->out_count++];
        char *at = (char *)line + 6;
        out->lane = *at == '@' ? (int)strtol(at + 1, &at, 10) : -1;
        out->count = read_words(at, out->words, 4);
    }
}

bool glsl_read(const char *name, struct expected *e)
{
    char line[1024];
    FILE *f = fopen(name, "r");
    memset(e, 0, sizeof *e);
    while (f && fgets(line, sizeof line, f))
        read_line(e, line);
    if (f)
        fclose(f);
    return e->out_count > 0;
}

/* ---------------------------------------------------------------- values */

uint32_t glsl_input(uint32_t location, uint32_t component, uint32_t lane)
{
    const float v[4] = {(float)lane, (float)lane / 4 - 2, 1, (float)(lane & 1)};
    return location == 0 ? util_fui(v[component]) : util_fui((float)(location + component));
}

static bool is_close(struct word want, uint32_t got)
{
    if (want.is_int)
        return want.bits == got;
    float x = util_uif(want.bits), y = util_uif(got);
    return fabsf(x - y) <= fmaxf(1, fabsf(x)) / 16384 || x == y;
}

bool glsl_check(const char *what, const struct expected *e, const uint32_t out[4][EXPECT_LANES])
{
    for (uint32_t i = 0; i < e->out_count; i++) {
        const struct expectation *x = &e->outs[i];
        for (uint32_t lane = 0; lane < EXPECT_LANES; lane++) {
            for (uint32_t c = 0; c < x->count && (x->lane < 0 || lane == (uint32_t)x->lane); c++) {
                uint32_t got = out[c][lane];
                if (is_close(x->words[c], got))
                    continue;
                printf("# %s: lane %u, component %u: %g (0x%08x) instead of %g (0x%08x)\n", what, lane, c,
                       (double)util_uif(got), got, (double)util_uif(x->words[c].bits), x->words[c].bits);
                return false;
            }
        }
    }
    return true;
}
