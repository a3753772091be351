/* SPDX-License-Identifier: MIT
 *
 * Command lines of the tools, parsed with getopt_long. Every tool has --help, and answers wrong use with the reason,
 * its usage and exit status 2.
 */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <getopt.h>
#include "util/macros.h"

/* The last rows of a tool's table of options. */
/* clang-format off */
#define TOOL_LAST_OPTIONS {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}
/* clang-format on */

struct tool {
    const char *usage;            /* lines, the first "usage: NAME ..." */
    const struct option *options; /* ends with TOOL_LAST_OPTIONS */
};

/* Parses the next option and returns its `val`, with its argument in `optarg`. Returns -1 after the last; `optind` is
 * then the index of the first argument that is not an option. `optind` must be 0 for the first call. Ends the program
 * after --help, with exit status 0, and after an option that the tool does not have, with 2. */
int tool_next_option(const struct tool *tool, int argc, char **argv);

/* Parses the command line of a tool without options other than --help. Returns the index of its first argument. */
int tool_skip_options(const struct tool *tool, int argc, char **argv);

/* Prints the usage to stderr, and returns the exit status of wrong use. */
int tool_wrong_use(const struct tool *tool);

/* Returns the index of the argument of an option in a list of words that ends with NULL. Ends the program if the
 * argument is not there. */
int tool_choose(const struct tool *tool, const char *option, const char *const *words);

#endif
