/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/json.h"
#include "util/utf8.h"

#define MAX_ESCAPED_B 8u

static void put(struct util_json *json, const char *text)
{
    json->put(json->data, text, strlen(text));
}

/* -- strings ------------------------------------------------------------------------------------------------------ */

/* Writes the first character of `text`, which is not empty, as it appears in a JSON string. Returns how many bytes it
 * has in `text`. */
static size_t escape(const char *text, bool is_in_html, char out[MAX_ESCAPED_B], size_t *out_B)
{
    const unsigned char c = (unsigned char)*text;
    const size_t length = util_utf8_length(text);
    const bool is_special = c == '"' || c == '\\';
    int size_B;
    if (!length)
        size_B = snprintf(out, MAX_ESCAPED_B, "\\ufffd");
    else if (is_special && !is_in_html)
        size_B = snprintf(out, MAX_ESCAPED_B, "\\%c", c);
    else if (is_special || c < 0x20 || c == 0x7f || (is_in_html && strchr("<>&", c)))
        size_B = snprintf(out, MAX_ESCAPED_B, "\\u%04x", c);
    else
        size_B = snprintf(out, MAX_ESCAPED_B, "%.*s", (int)length, text);
    *out_B = (size_t)size_B;
    return MAX2(length, (size_t)1);
}

static void put_string(struct util_json *json, const char *text)
{
    char escaped[MAX_ESCAPED_B];
    size_t escaped_B;
    put(json, "\"");
    for (text = text ? text : ""; *text;) {
        text += escape(text, json->is_in_html, escaped, &escaped_B);
        json->put(json->data, escaped, escaped_B);
    }
    put(json, "\"");
}

/* -- structure ---------------------------------------------------------------------------------------------------- */

static void break_line(struct util_json *json)
{
    put(json, "\n");
    for (uint32_t i = 0; i < json->depth; i++)
        put(json, "  ");
}

/* Writes what separates a value from the one before, and its key. */
static void begin_value(struct util_json *json, const char *key)
{
    const uint32_t bit = 1u << json->depth;
    const bool has_line = json->depth && json->is_lines & bit;
    if (json->has_elements & bit)
        put(json, has_line ? "," : ", ");
    if (has_line)
        break_line(json);
    if (json->depth)
        json->has_elements |= bit;
    if (key) {
        put_string(json, key);
        put(json, ": ");
    }
}

static uint32_t with_bit(uint32_t bits, uint32_t bit, bool is_set)
{
    return is_set ? bits | bit : bits & ~bit;
}

static void open_container(struct util_json *json, const char *key, enum util_json_layout layout, bool is_array)
{
    assert(json->depth < UTIL_JSON_MAX_DEPTH);
    begin_value(json, key);
    put(json, is_array ? "[" : "{");
    const uint32_t bit = 1u << ++json->depth;
    json->is_array = with_bit(json->is_array, bit, is_array);
    json->is_lines = with_bit(json->is_lines, bit, layout == UTIL_JSON_LINES);
    json->has_elements &= ~bit;
}

void util_json_object(struct util_json *json, const char *key, enum util_json_layout layout)
{
    open_container(json, key, layout, false);
}

void util_json_array(struct util_json *json, const char *key, enum util_json_layout layout)
{
    open_container(json, key, layout, true);
}

void util_json_end(struct util_json *json)
{
    assert(json->depth);
    const uint32_t bit = 1u << json->depth--;
    if (json->is_lines & json->has_elements & bit)
        break_line(json);
    put(json, json->is_array & bit ? "]" : "}");
}

/* -- values ------------------------------------------------------------------------------------------------------- */

void util_json_string(struct util_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_string(json, text);
}

void util_json_bool(struct util_json *json, const char *key, bool value)
{
    begin_value(json, key);
    put(json, value ? "true" : "false");
}

void util_json_number(struct util_json *json, const char *key, const char *format, ...)
{
    char number[64];
    va_list args;
    va_start(args, format);
    vsnprintf(number, sizeof number, format, args);
    va_end(args);
    begin_value(json, key);
    put(json, number);
}

void util_json_raw(struct util_json *json, const char *elements)
{
    begin_value(json, NULL);
    put(json, elements);
}
