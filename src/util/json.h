/* SPDX-License-Identifier: MIT
 *
 * Writes JSON piece by piece: escapes strings, and places commas, spaces and line breaks. The driver writes JSON inside
 * the processes of applications, which may have a JSON library of their own, so it links none.
 *
 *   struct util_json json = {.put = put, .data = data};
 *   util_json_object(&json, NULL, UTIL_JSON_LINES);
 *   util_json_string(&json, "name", name);
 *   util_json_end(&json);
 *
 * `key` is NULL for the elements of an array and for the outermost value. Strings are zero-terminated; bytes that are
 * not UTF-8 become U+FFFD.
 */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include "util/macros.h"

#define UTIL_JSON_MAX_DEPTH 31u
#define UTIL_JSON_MEMBERS   1u /* initial depth of a writer of members without the braces around them */

enum util_json_layout {
    UTIL_JSON_INLINE, /* all elements on one line */
    UTIL_JSON_LINES,  /* each element on a line of its own, indented by two spaces per level */
};

/* The user sets `put`, and `data`, `is_in_html` and `depth` as needed. All other fields are 0 at first. */
struct util_json {
    void (*put)(void *data, const char *text, size_t size_B); /* takes the next piece of the text */
    void *data;                                               /* of `put` */
    bool is_in_html;                           /* the text goes into a <script> element: what could end it is escaped */
    uint32_t depth;                            /* number of open objects and arrays; initially 0 or UTIL_JSON_MEMBERS */
    uint32_t is_array, is_lines, has_elements; /* a bit per depth */
};

/* Open an object or an array, and close the innermost one that is open. */
void util_json_object(struct util_json *json, const char *key, enum util_json_layout layout);
void util_json_array(struct util_json *json, const char *key, enum util_json_layout layout);
void util_json_end(struct util_json *json);

/* NULL counts as "". */
void util_json_string(struct util_json *json, const char *key, const char *text);
void util_json_bool(struct util_json *json, const char *key, bool value);
/* The format must give a JSON number of less than 64 characters. */
void util_json_number(struct util_json *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Members of an object, or elements of an array, that are JSON already. */
void util_json_raw(struct util_json *json, const char *elements);

#endif
