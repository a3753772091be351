/* SPDX-License-Identifier: MIT
 *
 * A growing text buffer with what pages need: escapes, numbers, base64. An allocation failure is sticky: `failed` is
 * set and later text is lost.
 */
#ifndef INSPECT_TEXT_H
#define INSPECT_TEXT_H

#include "util/macros.h"

struct inspect_text {
    char *data; /* not zero-terminated */
    size_t size_B, capacity_B;
    bool failed;
};

void inspect_text_finish(struct inspect_text *text);
void inspect_put_bytes(struct inspect_text *text, const void *data, size_t size_B);
/* Appends markup without escaping. */
void inspect_put(struct inspect_text *text, const char *markup);
void inspect_putf(struct inspect_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends plain text: escapes HTML's special characters and replaces invalid UTF-8. NULL counts as "". */
void inspect_put_text(struct inspect_text *text, const char *plain);
void inspect_put_base64(struct inspect_text *text, const uint8_t *data, size_t size_B);
/* Append 1234567 as "1,234,567", and a size with its unit. */
void inspect_put_number(struct inspect_text *text, uint64_t number);
void inspect_put_bytes_of(struct inspect_text *text, uint64_t size_B);

#endif
