/* SPDX-License-Identifier: MIT
 *
 * Recognises UTF-8 in text that applications supply, of which some is not.
 */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include "util/macros.h"

#define UTIL_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, in place of a byte that is not text */

/* Length in bytes of the UTF-8 character at `text`, which is zero-terminated. 0 when it is invalid: truncated,
 * overlong, a surrogate, or out of range. */
size_t util_utf8_length(const char *text);

#endif
