/* SPDX-License-Identifier: MIT
 *
 * vc4-qpu: assembles text (docs/qpu-text.md, # comments; also the output of dis) to words, disassembles words or all
 * programs of a .vc4trace, and checks the hazard rules of each program.
 *
 * A program that writes the VPM is checked as a vertex program, any other as a fragment program. Exit status: 0
 * success, 1 a line or a program is wrong, 2 wrong use.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"
#include "tools/options.h"
#include "tools/trace.h"

/* -- asm ---------------------------------------------------------------------------------------------------------- */

/* Skips the prefix "12: 0x100009e7009e7000" that dis prints before each instruction. */
static const char *skip_listing(const char *line)
{
    int prefix = 0;

    sscanf(line, " %*u: 0x%*x%n", &prefix);
    return line + prefix;
}

static bool assemble_line(char *line, unsigned number, const char *path, FILE *out)
{
    struct qpu_instr instr;
    char error[160];
    uint64_t word;

    line[strcspn(line, "#\n")] = 0;
    if (!line[strspn(line, " \t\r")])
        return true;
    if (!qpu_parse(skip_listing(line), &instr, error, sizeof error)) {
        fprintf(stderr, "%s:%u: %s\n", path, number, error);
        return false;
    }
    word = qpu_encode(&instr);
    return fwrite(&word, sizeof word, 1, out) == 1;
}

static int assemble(const char *in_path, const char *out_path)
{
    FILE *in = fopen(in_path, "r"), *out = in ? fopen(out_path, "wb") : NULL;
    char line[1024];
    bool ok = in && out;

    if (!ok)
        fprintf(stderr, "%s: %s\n", in ? out_path : in_path, strerror(errno));
    for (unsigned number = 1; ok && fgets(line, sizeof line, in); number++)
        ok = assemble_line(line, number, in_path, out);
    if (in)
        fclose(in);
    if (out && fclose(out))
        ok = false;
    return ok ? 0 : 1;
}

/* -- dis, check --------------------------------------------------------------------------------------------------- */

static enum qpu_program_kind kind_of(const uint64_t *words, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        struct qpu_instr i = qpu_decode(words[n]);
        if (i.waddr_add == QPU_W_VPM || i.waddr_mul == QPU_W_VPM)
            return QPU_PROGRAM_VERTEX;
    }
    return QPU_PROGRAM_FRAGMENT;
}

/* False if `check` is set and the program breaks a rule. */
static bool print_program(const void *bytes, size_t size_B, bool check)
{
    uint32_t count = (uint32_t)(size_B / 8);
    uint64_t *words = malloc(count * sizeof *words + 1);
    struct qpu_violation violation;
    enum qpu_program_kind kind;
    bool ok = true;

    if (!words)
        return false;
    memcpy(words, bytes, count * sizeof *words);
    kind = kind_of(words, count);
    printf("# %s program, %" PRIu32 " instructions\n", kind == QPU_PROGRAM_VERTEX ? "vertex" : "fragment", count);
    qpu_dump(stdout, words, count);
    if (check && !qpu_check(words, count, kind, &violation)) {
        printf("# %s at %" PRIu32 ": %s\n", violation.rule, violation.index, violation.text);
        ok = false;
    }
    free(words);
    return ok;
}

static bool print_trace(const char *path, bool check)
{
    struct trace trace;
    struct trace_record rec = {0};
    bool ok = true;

    if (!trace_open(&trace, path))
        return false;
    while (rec.type != TRACE_END) {
        if (!trace_next(&trace, &rec)) {
            ok = false;
            break;
        }
        if (rec.type == TRACE_SHADER_CREATE && rec.size_B >= 8) {
            printf("# shader bo%" PRIu32 "\n", trace_u32(&rec, 0));
            ok &= print_program(rec.payload + 8, MIN2(rec.size_B - 8, trace_u32(&rec, 1)), check);
        }
    }
    trace_close(&trace);
    return ok;
}

static bool print_words(const char *path, bool check)
{
    FILE *in = fopen(path, "rb");
    static uint64_t words[1 << 16];
    size_t count;

    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    count = fread(words, sizeof words[0], ARRAY_SIZE(words), in);
    fclose(in);
    return print_program(words, count * sizeof words[0], check);
}

static int print_file(const char *path, bool check)
{
    const char *end = strrchr(path, '.');
    bool ok = end && !strcmp(end, ".vc4trace") ? print_trace(path, check) : print_words(path, check);

    return ok ? 0 : 1;
}

static const struct tool tool = {
    .usage = "usage: vc4-qpu asm IN.txt OUT.bin\n"
             "       vc4-qpu dis FILE\n"
             "       vc4-qpu check FILE\n"
             "Assembles, disassembles and checks QPU programs. FILE holds words, or is a .vc4trace.\n",
    .options = (const struct option[]){TOOL_LAST_OPTIONS},
};

int main(int argc, char **argv)
{
    const int first = tool_skip_options(&tool, argc, argv), count = argc - first;
    const char *command = count ? argv[first] : "";
    if (count == 3 && !strcmp(command, "asm"))
        return assemble(argv[first + 1], argv[first + 2]);
    if (count == 2 && (!strcmp(command, "dis") || !strcmp(command, "check")))
        return print_file(argv[first + 1], command[0] == 'c');
    return tool_wrong_use(&tool);
}
