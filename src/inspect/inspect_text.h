/* SPDX-License-Identifier: MIT
 *
 * Text that grows, with what pages need: escapes, base64. Out of memory sticks: what follows is lost, `failed` is set.
 */
#ifndef INSPECT_TEXT_H
#define INSPECT_TEXT_H

#include "util/macros.h"

struct inspect_text {
    char *data; /* not ended by a zero */
    size_t size_B, capacity_B;
    bool failed;
};

void inspect_text_finish(struct inspect_text *text);
void inspect_put_bytes(struct inspect_text *text, const void *data, size_t size_B);
/* As it is: markup. */
void inspect_put(struct inspect_text *text, const char *markup);
void inspect_putf(struct inspect_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As text: of characters that mean something in HTML, and of bytes that are no UTF-8, nothing is left but what they
 * look like. NULL is "". */
void inspect_put_text(struct inspect_text *text, const char *plain);
/* As a string of JSON within a page: with quotes, and safe where "</script>" would end it. */
void inspect_put_json(struct inspect_text *text, const char *plain);
void inspect_put_base64(struct inspect_text *text, const uint8_t *data, size_t size_B);
/* 1234567 as "1,234,567"; bytes with a unit. */
void inspect_put_number(struct inspect_text *text, uint64_t number);
void inspect_put_bytes_of(struct inspect_text *text, uint64_t size_B);

#endif
