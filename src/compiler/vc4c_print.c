/* SPDX-License-Identifier: MIT
 *
 * Makes text of what calls of printf in shaders have stored. Formats come from applications and may be hostile: each
 * conversion is taken apart, and the host's printf only sees formats that are put together here.
 *
 *   % [flags] [width] [.precision] [v COMPONENTS] [l] LETTER     d i u o x X f F e E g G a A; %ul is %lu
 *
 * Components of vectors are separated by ", ". The letter says how a value is shown, and the type of the argument how
 * it is read: d, i and u show the value of a float without its fraction, x, X and o show its bits, and the letters of
 * floats show integers as floats. What is not a conversion is shown as it stands.
 */
#include <stdio.h>
#include <string.h>
#include "compiler/vc4c.h"
#include "util/utf8.h"

#define MAX_WIDTH 64u /* larger widths and precisions are reduced to this */

/* ---------------------------------------------------------------- text */

struct text {
    char *out;
    size_t out_B, length;
    bool is_full; /* what follows is dropped */
};

static void put(struct text *t, const char *bytes, size_t size_B)
{
    t->is_full |= size_B + 1 > t->out_B - t->length;
    if (t->is_full)
        return;
    memcpy(t->out + t->length, bytes, size_B);
    t->length += size_B;
}

static void put_string(struct text *t, const char *string)
{
    put(t, string, strlen(string));
}

/* Puts the character at `at`, and returns the next one's place. Control characters and bytes that are not UTF-8 are
 * replaced. */
static const char *put_character(struct text *t, const char *at)
{
    const size_t size_B = util_utf8_length(at);
    const unsigned char first = (unsigned char)*at;
    if (!size_B)
        put_string(t, UTIL_UTF8_REPLACEMENT);
    else if ((first < 0x20 && first != '\n' && first != '\t') || first == 0x7f)
        put_string(t, "?");
    else
        put(t, at, size_B);
    return at + (size_B ? size_B : 1);
}

/* ---------------------------------------------------------------- conversions */

struct conversion {
    char flags[8];
    unsigned width;
    int precision;       /* -1: none */
    uint32_t components; /* 0: not given */
    char letter;
};

static const char *read_number(const char *at, unsigned *out)
{
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = MIN2(10 * *out + (unsigned)(*at - '0'), MAX_WIDTH);
    return at;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Reads a conversion behind its '%'. NULL: it is none. */
static const char *read_conversion(const char *at, struct conversion *out)
{
    *out = (struct conversion){.precision = -1};
    for (; is_one_of(*at, "-+ #0"); at++)
        if (!is_one_of(*at, out->flags)) /* each at most once, so that they fit */
            out->flags[strlen(out->flags)] = *at;
    at = read_number(at, &out->width);
    if (*at == '.') {
        unsigned precision;
        at = read_number(at + 1, &precision);
        out->precision = (int)precision;
    }
    if (*at == 'v') {
        if (at[1] < '2' || at[1] > '4')
            return NULL;
        out->components = (uint32_t)(at[1] - '0');
        at += 2;
    }
    while (*at == 'l')
        at++;
    out->letter = *at;
    char *alternate = strchr(out->flags, '#');
    if (alternate && is_one_of(*at, "diu")) /* has no meaning there */
        memmove(alternate, alternate + 1, strlen(alternate));
    return is_one_of(*at, "diuoxXfFeEgGaA") ? at + 1 : NULL;
}

/* ---------------------------------------------------------------- values */

struct value {
    uint8_t type; /* enum vc4c_print_type */
    uint64_t bits;
};

static struct value read_value(const struct vc4c_print_arg *arg, const uint32_t *words, uint32_t component)
{
    struct value v = {arg->type, 0};
    if (arg->type >= VC4C_PRINT_INT64)
        v.bits = words[2 * component] | (uint64_t)words[2 * component + 1] << 32;
    else
        v.bits = words[component];
    return v;
}

static double float_of(const struct value *v)
{
    const uint32_t low = (uint32_t)v->bits;
    float single;
    double wide;
    switch ((enum vc4c_print_type)v->type) {
    case VC4C_PRINT_FLOAT:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case VC4C_PRINT_FLOAT64:
        memcpy(&wide, &v->bits, sizeof wide);
        return wide;
    case VC4C_PRINT_INT:
        return (int32_t)low;
    case VC4C_PRINT_INT64:
        return (double)(int64_t)v->bits;
    default:
        return (double)v->bits;
    }
}

static bool is_float(const struct value *v)
{
    return v->type == VC4C_PRINT_FLOAT || v->type == VC4C_PRINT_FLOAT64;
}

/* The nearest number that there is; 0 for NaN. */
static int64_t whole_of(double x)
{
    return x >= 9223372036854775807.0 ? INT64_MAX : x <= -9223372036854775808.0 ? INT64_MIN : x == x ? (int64_t)x : 0;
}

static int64_t signed_of(const struct value *v)
{
    if (is_float(v))
        return whole_of(float_of(v));
    return v->type >= VC4C_PRINT_INT64 ? (int64_t)v->bits : (int32_t)v->bits;
}

static uint64_t unsigned_of(const struct value *v)
{
    return is_float(v) ? (uint64_t)whole_of(float_of(v)) : v->bits;
}

/* The format consists of a conversion's checked parts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_value(struct text *t, const struct conversion *c, const struct value *v)
{
    char format[16], out[512]; /* the longest: 309 digits, a point, MAX_WIDTH more */
    const bool shows_float = is_one_of(c->letter, "fFeEgGaA");
    snprintf(format, sizeof format, "%%%s*.*%s%c", c->flags, shows_float ? "" : "ll", c->letter);
    if (shows_float) {
        snprintf(out, sizeof out, format, (int)c->width, c->precision, float_of(v));
        char *comma = strchr(out, ','); /* the application's locale may have one */
        if (comma)
            *comma = '.';
    } else if (c->letter == 'd' || c->letter == 'i') {
        snprintf(out, sizeof out, format, (int)c->width, c->precision, (long long)signed_of(v));
    } else {
        snprintf(out, sizeof out, format, (int)c->width, c->precision,
                 (unsigned long long)(c->letter == 'u' ? unsigned_of(v) : v->bits));
    }
    put_string(t, out);
}
#pragma GCC diagnostic pop

static void put_argument(struct text *t, const struct conversion *c, const struct vc4c_print_arg *arg,
                         const uint32_t *words)
{
    const uint32_t count = c->components ? MIN2(c->components, (uint32_t)arg->count) : arg->count;
    if (arg->type == VC4C_PRINT_NOTHING)
        put_string(t, "(not a number)");
    for (uint32_t i = 0; i < count && arg->type != VC4C_PRINT_NOTHING; i++) {
        const struct value value = read_value(arg, words, i);
        put_string(t, i ? ", " : "");
        put_value(t, c, &value);
    }
}

/* ---------------------------------------------------------------- messages */

void vc4c_print_text(const char *format, const struct vc4c_print *print, const uint32_t *words, char *out, size_t out_B)
{
    struct text t = {.out = out, .out_B = out_B};
    uint32_t next = 0; /* argument */
    while (*format && !t.is_full) {
        struct conversion c;
        const char *end = *format == '%' ? read_conversion(format + 1, &c) : NULL;
        if (!end) {
            format += format[0] == '%' && format[1] == '%';
            format = put_character(&t, format);
            continue;
        }
        format = end;
        if (next == print->arg_count) {
            put_string(&t, "(no value)");
            continue;
        }
        const struct vc4c_print_arg *arg = &print->args[next++];
        format +=
            c.letter == 'u' && *format == 'l' && (arg->type == VC4C_PRINT_INT64 || arg->type == VC4C_PRINT_UINT64);
        put_argument(&t, &c, arg, words);
        words += vc4c_print_arg_words(arg);
    }
    out[t.length] = 0;
}

uint32_t vc4c_print_message(const struct vc4c_program *program, const uint32_t *words, uint32_t at, char *out,
                            size_t out_B)
{
    if (at >= VC4C_PRINT_WORDS || !words[at] || words[at] > program->print_count)
        return 0;
    const struct vc4c_print *print = &program->prints[words[at] - 1];
    if (print->words > VC4C_PRINT_WORDS - at)
        return 0;
    vc4c_print_text(program->print_text + print->format_B, print, words + at + 1, out, out_B);
    return at + print->words;
}
