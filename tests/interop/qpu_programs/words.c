/* SPDX-License-Identifier: MIT
 *
 *   qpu-words JOB...     runs QPU programs given as words through the mailbox, as the job files say (README.md)
 *
 * Prints one TAP case per file. A file is a sequence of items, executed in order. The programs of the `qpu` items run
 * together when the next `expect` or `show` asks for their results.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"
#include "mailbox.h"

#define NAMES_MAX  32
#define NAME_MAX   32
#define WORDS_MAX  (1u << 22) /* per buffer */
#define TOKEN_MAX  256
#define TIMEOUT_MS 10000

/* A named buffer of the chip; code buffers have no name. */
struct buffer {
    char name[NAME_MAX];
    unsigned handle, addr;
    uint32_t *words;
    uint32_t count;
};

struct words {
    uint32_t *at;
    uint32_t count;
};

struct job {
    const char *path;
    FILE *in;
    char token[TOKEN_MAX]; /* the next token; "" at the end */
    struct buffer buffers[NAMES_MAX];
    unsigned buffer_count;
    unsigned code_addr; /* used by the following `qpu` items */
    unsigned requests[2 * MAILBOX_QPUS_MAX];
    unsigned request_count;
    unsigned handles[NAMES_MAX + 3 * MAILBOX_QPUS_MAX];
    unsigned handle_count;
};

static bool UTIL_PRINTF(2, 3) report_error(const struct job *job, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    printf("# %s: ", job->path);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    return false;
}

/* -- words -------------------------------------------------------------------------------------------------------- */

static void next_token(struct job *job)
{
    int c;
    size_t length = 0;

    while ((c = fgetc(job->in)) != EOF && (isspace(c) || c == '#')) {
        while (c == '#' && (c = fgetc(job->in)) != EOF && c != '\n')
            c = '#';
    }
    for (; c != EOF && !isspace(c); c = fgetc(job->in)) {
        if (length < TOKEN_MAX - 1)
            job->token[length++] = (char)c;
    }
    job->token[length] = 0;
}

static bool is_keyword(const char *token)
{
    static const char *const keywords[] = {"", "code", "buffer", "qpu", "expect", "show"};

    for (unsigned n = 0; n < ARRAY_SIZE(keywords); n++) {
        if (!strcmp(token, keywords[n]))
            return true;
    }
    return false;
}

static struct buffer *find_buffer(struct job *job, const char *name)
{
    for (unsigned n = 0; n < job->buffer_count; n++) {
        if (!strcmp(job->buffers[n].name, name))
            return &job->buffers[n];
    }
    return NULL;
}

static float as_float(uint32_t word)
{
    float f;

    memcpy(&f, &word, sizeof f);
    return f;
}

static bool append(struct words *words, uint32_t word)
{
    if (words->count == WORDS_MAX)
        return false;
    words->at[words->count++] = word;
    return true;
}

/* Appends COUNT*FIRST+STEP: COUNT numbers FIRST, FIRST + STEP, ... Numbers with a point are floats. */
static bool append_numbers(struct words *words, const char *text)
{
    const char *star = strchr(text, '*'), *first = star ? star + 1 : text;
    bool is_float = strchr(first, '.') != NULL;
    unsigned long count = star ? strtoul(text, NULL, 0) : 1;
    double value, step = 0;
    char *end;

    value = is_float ? strtod(first, &end) : (double)strtoll(first, &end, 0);
    if (end == first)
        return false;
    if (*end == '+') {
        const char *behind = end + 1;
        step = is_float ? strtod(behind, &end) : (double)strtoll(behind, &end, 0);
        if (end == behind)
            return false;
    }
    for (unsigned long n = 0; n < count; n++, value += step) {
        float f = (float)value;
        uint32_t word = (uint32_t)(int64_t)value;
        if (is_float)
            memcpy(&word, &f, sizeof word);
        if (!append(words, word))
            return false;
    }
    return !*end;
}

/* Opens a file in the job's folder. */
static FILE *open_beside(struct job *job, const char *name)
{
    const char *slash = strrchr(job->path, '/');
    char path[4096];
    FILE *in;

    snprintf(path, sizeof path, "%.*s%s", *name == '/' || !slash ? 0 : (int)(slash + 1 - job->path), job->path, name);
    in = fopen(path, "rb");
    if (!in)
        report_error(job, "%s: %s", path, strerror(errno));
    return in;
}

static bool append_binary(struct words *words, FILE *in)
{
    uint8_t b[4];

    while (fread(b, 1, sizeof b, in) == sizeof b) {
        if (!append(words, b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24))
            return false;
    }
    return true;
}

/* Reads the words up to the next keyword. */
static bool read_words(struct job *job, struct words *out)
{
    *out = (struct words){.at = malloc(WORDS_MAX * sizeof *out->at)};
    for (bool ok = out->at; !is_keyword(job->token); next_token(job)) {
        const struct buffer *buffer = find_buffer(job, job->token);
        if (buffer) {
            ok = append(out, buffer->addr);
        } else if (*job->token == '@') {
            FILE *in = open_beside(job, job->token + 1);
            ok = in && append_binary(out, in);
            if (in)
                fclose(in);
        } else {
            ok = append_numbers(out, job->token);
        }
        if (!ok)
            return report_error(job, "'%s' is not a word, or there are too many words", job->token);
    }
    return out->at;
}

/* -- the chip's memory -------------------------------------------------------------------------------------------- */

/* Allocates memory with these contents. */
static bool put(struct job *job, const struct words *words, struct buffer *out)
{
    unsigned size_B = words->count ? words->count * 4 : 4;
    unsigned handle = job->handle_count < ARRAY_SIZE(job->handles) ? mem_alloc(3, size_B, 4096, 0) : 0;

    if (!handle)
        return report_error(job, "no memory");
    job->handles[job->handle_count++] = handle;
    out->handle = handle;
    out->addr = mem_lock(3, handle);
    out->words = mapmem(out->addr, size_B);
    out->count = words->count;
    memcpy(out->words, words->at, words->count * sizeof *words->at);
    return true;
}

/* Appends all hexadecimal words of a text such as C arrays or listings. A word of more than eight digits is a whole
 * instruction. Comments after // and # are skipped. */
static bool append_hex(struct words *words, FILE *in)
{
    char line[1024];
    bool ok = true;

    while (ok && fgets(line, sizeof line, in)) {
        char *comment = strstr(line, "//"), *at = line;
        line[strcspn(line, "#")] = 0;
        if (comment)
            *comment = 0;
        while (ok && (at = strstr(at, "0x"))) {
            char *start = at + 2;
            uint64_t word = strtoull(start, &at, 16);
            ok = append(words, (uint32_t)word) && (at - start <= 8 || append(words, (uint32_t)(word >> 32)));
        }
    }
    return ok;
}

/* Appends assembled text (docs/qpu-text.md). */
static bool append_assembled(struct job *job, struct words *words, FILE *in)
{
    char line[1024], error[160];
    struct qpu_instr instr;

    while (fgets(line, sizeof line, in)) {
        uint64_t word;
        line[strcspn(line, "#\n")] = 0;
        if (!line[strspn(line, " \t\r")])
            continue;
        if (!qpu_parse(line, &instr, error, sizeof error))
            return report_error(job, "%s: %s", line, error);
        word = qpu_encode(&instr);
        if (!append(words, (uint32_t)word) || !append(words, (uint32_t)(word >> 32)))
            return false;
    }
    return true;
}

static bool has_ending(const char *name, const char *ending)
{
    return strlen(name) > strlen(ending) && !strcmp(name + strlen(name) - strlen(ending), ending);
}

/* -- items -------------------------------------------------------------------------------------------------------- */

/* code FILE */
static bool do_code(struct job *job)
{
    struct words words = {.at = malloc(WORDS_MAX * sizeof *words.at)};
    struct buffer code;
    FILE *in = words.at ? open_beside(job, job->token) : NULL;
    bool ok = in;

    if (ok && has_ending(job->token, ".bin"))
        ok = append_binary(&words, in);
    else if (ok && has_ending(job->token, ".qpu"))
        ok = append_assembled(job, &words, in);
    else if (ok)
        ok = append_hex(&words, in);
    ok = ok && put(job, &words, &code);
    if (ok)
        job->code_addr = code.addr;
    if (in)
        fclose(in);
    free(words.at);
    next_token(job);
    return ok;
}

/* buffer NAME WORD... */
static bool do_buffer(struct job *job)
{
    struct buffer *buffer = &job->buffers[job->buffer_count];
    struct words words;
    bool ok;

    if (job->buffer_count == NAMES_MAX || strlen(job->token) >= NAME_MAX || find_buffer(job, job->token))
        return report_error(job, "buffer '%s': the name exists or is too long, or there are too many buffers",
                            job->token);
    strcpy(buffer->name, job->token);
    next_token(job);
    ok = read_words(job, &words) && put(job, &words, buffer);
    job->buffer_count += ok;
    free(words.at);
    return ok;
}

/* qpu WORD... */
static bool do_qpu(struct job *job)
{
    struct words words;
    struct buffer uniforms;
    bool ok = read_words(job, &words) && put(job, &words, &uniforms);

    free(words.at);
    if (!ok)
        return false;
    if (!job->code_addr || job->request_count == MAILBOX_QPUS_MAX)
        return report_error(job, "qpu without code before it, or more than %u at once", MAILBOX_QPUS_MAX);
    job->requests[2 * job->request_count] = uniforms.addr;
    job->requests[2 * job->request_count++ + 1] = job->code_addr;
    return true;
}

/* Runs the pending `qpu` items. */
static bool run(struct job *job)
{
    struct words list = {.at = job->requests, .count = 2 * job->request_count};
    struct buffer memory = {0};

    if (!job->request_count)
        return true;
    if (!put(job, &list, &memory))
        return false;
    job->request_count = 0;
    if (execute_qpu(3, list.count / 2, memory.addr, 1, TIMEOUT_MS))
        return report_error(job, "the programs did not end");
    return true;
}

static bool is_close(uint32_t got, uint32_t want, double tolerance)
{
    if (got == want || tolerance <= 0)
        return got == want;
    return fabs((double)as_float(got) - as_float(want)) <= tolerance * fmax(1, fabs(as_float(want)));
}

/* expect NAME TOLERANCE WORD... */
static bool do_expect(struct job *job)
{
    const struct buffer *buffer = find_buffer(job, job->token);
    struct words want = {0};
    double tolerance;
    unsigned differ = 0;
    char *end;

    if (!buffer)
        return report_error(job, "expect '%s': no such buffer", job->token);
    next_token(job);
    tolerance = strtod(job->token, &end);
    if (end == job->token || *end)
        return report_error(job, "'%s' is no tolerance", job->token);
    next_token(job);
    if (!read_words(job, &want) || !run(job)) {
        free(want.at);
        return false;
    }
    if (!want.count || want.count > buffer->count)
        differ +=
            !report_error(job, "expect has %u words, buffer '%s' has %u", want.count, buffer->name, buffer->count);
    for (uint32_t n = 0; n < want.count && n < buffer->count; n++) {
        uint32_t got = buffer->words[n];
        if (!is_close(got, want.at[n], tolerance) && ++differ <= 8)
            report_error(job, "%s[%u] is 0x%08x (%.9g), not 0x%08x (%.9g)", buffer->name, n, got, as_float(got),
                         want.at[n], as_float(want.at[n]));
    }
    free(want.at);
    return !differ;
}

/* show NAME */
static bool do_show(struct job *job)
{
    const struct buffer *buffer = find_buffer(job, job->token);

    if (!buffer)
        return report_error(job, "show '%s': no such buffer", job->token);
    if (!run(job))
        return false;
    for (uint32_t n = 0; n < buffer->count; n++)
        printf("# %s[%u] 0x%08x %.9g\n", buffer->name, n, buffer->words[n], as_float(buffer->words[n]));
    next_token(job);
    return true;
}

static bool do_item(struct job *job)
{
    static const struct {
        const char *keyword;
        bool (*act)(struct job *job);
    } items[] = {{"code", do_code}, {"buffer", do_buffer}, {"qpu", do_qpu}, {"expect", do_expect}, {"show", do_show}};

    for (unsigned n = 0; n < ARRAY_SIZE(items); n++) {
        if (!strcmp(job->token, items[n].keyword)) {
            next_token(job);
            return items[n].act(job);
        }
    }
    return report_error(job, "'%s' is none of code, buffer, qpu, expect, show", job->token);
}

static bool run_job(const char *path)
{
    struct job job = {.path = path, .in = fopen(path, "r")};
    bool ok = true;

    if (!job.in)
        return report_error(&job, "%s", strerror(errno));
    next_token(&job);
    while (ok && *job.token)
        ok = do_item(&job);
    ok = ok && run(&job);
    for (unsigned n = 0; n < job.handle_count; n++)
        mem_free(3, job.handles[n]);
    fclose(job.in);
    return ok;
}

int main(int argc, char **argv)
{
    bool all = true;

    if (argc < 2) {
        fprintf(stderr, "usage: qpu-words JOB...\n");
        return 2;
    }
    mbox_open();
    printf("1..%d\n", argc - 1);
    for (int n = 1; n < argc; n++) {
        bool ok = run_job(argv[n]);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", n, argv[n]);
        all &= ok;
    }
    mbox_close(3);
    return all ? 0 : 1;
}
