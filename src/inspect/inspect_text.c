/* SPDX-License-Identifier: MIT
 *
 * Growing text buffers with the escapes that pages need.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "inspect/inspect_text.h"
#include "util/utf8.h"

void inspect_text_finish(struct inspect_text *text)
{
    free(text->data);
    *text = (struct inspect_text){0};
}

void inspect_put_bytes(struct inspect_text *text, const void *data, size_t size_B)
{
    if (text->failed)
        return;
    if (size_B > text->capacity_B - text->size_B) {
        const size_t capacity_B = MAX2(MAX2(text->capacity_B * 2, (size_t)65536), text->size_B + size_B);
        char *more = realloc(text->data, capacity_B);
        if (!more) {
            text->failed = true;
            return;
        }
        text->data = more;
        text->capacity_B = capacity_B;
    }
    memcpy(text->data + text->size_B, data, size_B);
    text->size_B += size_B;
}

void inspect_put(struct inspect_text *text, const char *markup)
{
    inspect_put_bytes(text, markup, strlen(markup));
}

void inspect_putf(struct inspect_text *text, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length > 0)
        inspect_put_bytes(text, line, MIN2((size_t)length, sizeof line - 1));
}

/* -- escapes ------------------------------------------------------------------------------------------------------ */

void inspect_put_text(struct inspect_text *text, const char *plain)
{
    for (const char *s = plain ? plain : ""; *s;) {
        const size_t length = util_utf8_length(s);
        const unsigned char c = (unsigned char)*s;
        if (c == '<')
            inspect_put(text, "&lt;");
        else if (c == '>')
            inspect_put(text, "&gt;");
        else if (c == '&')
            inspect_put(text, "&amp;");
        else if (c == '"')
            inspect_put(text, "&quot;");
        else if (c == '\'')
            inspect_put(text, "&#39;");
        else if (!length || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            inspect_put(text, UTIL_UTF8_REPLACEMENT);
        else
            inspect_put_bytes(text, s, length);
        s += MAX2(length, (size_t)1);
    }
}

void inspect_put_base64(struct inspect_text *text, const uint8_t *data, size_t size_B)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size_B; i += 3) {
        const size_t left = size_B - i;
        const uint32_t bits =
            (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0u);
        const char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                              left > 2 ? digits[bits & 63] : '='};
        inspect_put_bytes(text, four, 4);
    }
}

/* -- numbers ------------------------------------------------------------------------------------------------------ */

void inspect_put_number(struct inspect_text *text, uint64_t number)
{
    char plain[24];
    const int length = snprintf(plain, sizeof plain, "%" PRIu64, number);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            inspect_put(text, ",");
        inspect_put_bytes(text, &plain[i], 1);
    }
}

void inspect_put_bytes_of(struct inspect_text *text, uint64_t size_B)
{
    if (size_B < 10 * 1024)
        inspect_putf(text, "%u B", (unsigned)size_B);
    else if (size_B < UINT64_C(10) << 20)
        inspect_putf(text, "%.1f KiB", (double)size_B / 1024);
    else
        inspect_putf(text, "%.1f MiB", (double)size_B / (1 << 20));
}
