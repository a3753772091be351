/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/options.h"

#define STATUS_WRONG_USE 2

int tool_wrong_use(const struct tool *tool)
{
    fputs(tool->usage, stderr);
    return STATUS_WRONG_USE;
}

int tool_next_option(const struct tool *tool, int argc, char **argv)
{
    const int option = getopt_long(argc, argv, "", tool->options, NULL);
    if (option == 'h') {
        fputs(tool->usage, stdout);
        exit(fflush(stdout) ? 1 : 0);
    }
    if (option == '?') /* getopt_long has printed the reason */
        exit(tool_wrong_use(tool));
    return option;
}

int tool_skip_options(const struct tool *tool, int argc, char **argv)
{
    optind = 0;
    while (tool_next_option(tool, argc, argv) >= 0)
        ;
    return optind;
}

int tool_choose(const struct tool *tool, const char *option, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(optarg, words[i]))
            return i;
    fprintf(stderr, "%s: unknown word '%s'\n", option, optarg);
    exit(tool_wrong_use(tool));
}
