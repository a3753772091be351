/* SPDX-License-Identifier: MIT
 *
 * Compiles many GLSL shaders to SPIR-V in one process:
 *
 *     compile_shaders [OPTION... SOURCE -o OUTPUT]...
 *
 * The options are glslangValidator's. They hold for one shader:
 *
 *     --target-env TARGET   version of Vulkan or SPIR-V (glsl.c has the list), vulkan1.0 if it is not given
 *     -S vert|frag|comp|geom|tesc|tese|task|mesh  the stage, otherwise the suffix of SOURCE
 *     -D NAME[=VALUE]       defines a macro; also without the space
 *     --relax               takes OpenGL's GLSL: uniforms outside of blocks, no locations or bindings
 *     -g                    debug information: OpLine and OpSource
 *     -gVS                  debug information: NonSemantic.Shader.DebugInfo.100, with the source
 *     --vn NAME             writes a C header with an array of that name
 *
 * glslang's messages are printed for shaders with an error. The others are compiled nevertheless, and the exit status
 * is
 * 1. A file whose contents would not change is not written, so that nothing is built again that depends on it.
 */
#include "glsl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct glsl_request request;
    const char *source, *array, *output, *stage;
    bool has_debug_info;
    char *preamble; /* the lines of its macros; NULL: none */
};

_Noreturn static void die(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("compile_shaders: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(2);
}

/* A file's contents followed by a zero byte, or NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size_B_out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    char *contents = NULL, part[4096];
    FILE *all = open_memstream(&contents, size_B_out);
    if (!all)
        die("no memory for %s", path);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        fwrite(part, 1, n, all);
    const bool is_read = !ferror(f);
    fclose(f);
    if (fclose(all) || !is_read) {
        free(contents);
        return NULL;
    }
    return contents;
}

static bool write_if_changed(const char *path, const char *contents, size_t size_B)
{
    size_t old_size_B = 0;
    char *old = read_file(path, &old_size_B);
    const bool is_same = old && old_size_B == size_B && memcmp(old, contents, size_B) == 0;
    free(old);
    if (is_same)
        return true;
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    const bool is_written = fwrite(contents, 1, size_B, f) == size_B;
    return fclose(f) == 0 && is_written;
}

static void print_array(FILE *f, const char *name, const struct glsl_result *module)
{
    fprintf(f, "#pragma once\nconst uint32_t %s[] = {", name);
    for (size_t i = 0; i < module->word_count; i++)
        fprintf(f, "%s0x%08x,", i % 8 ? "" : "\n\t", module->words[i]);
    fputs("\n};\n", f);
}

static bool write_module(const struct job *job, const struct glsl_result *module)
{
    if (!job->array)
        return write_if_changed(job->output, (const char *)module->words, module->word_count * sizeof *module->words);
    char *header = NULL;
    size_t header_B = 0;
    FILE *f = open_memstream(&header, &header_B);
    if (!f)
        return false;
    print_array(f, job->array, module);
    const bool is_written = fclose(f) == 0 && write_if_changed(job->output, header, header_B);
    free(header);
    return is_written;
}

/* glslang calls the source "0". */
static void print_messages(const char *source, const char *messages)
{
    while (*messages) {
        const size_t length = strcspn(messages, "\n");
        const char *colon = memchr(messages, ':', length);
        if (colon && strncmp(colon, ": 0:", 4) == 0)
            fprintf(stderr, "%.*s: %s:%.*s\n", (int)(colon - messages), messages, source,
                    (int)(length - (size_t)(colon + 4 - messages)), colon + 4);
        else if (length)
            fprintf(stderr, "%.*s\n", (int)length, messages);
        messages += length + (messages[length] == '\n');
    }
}

static enum glsl_stage stage_of(const struct job *job)
{
    static const char *const names[] = {
        [GLSL_VERTEX] = "vert",   [GLSL_FRAGMENT] = "frag",     [GLSL_COMPUTE] = "comp",
        [GLSL_GEOMETRY] = "geom", [GLSL_TESS_CONTROL] = "tesc", [GLSL_TESS_EVALUATION] = "tese",
        [GLSL_TASK] = "task",     [GLSL_MESH] = "mesh"};
    const char *dot = strrchr(job->source, '.'), *name = job->stage ? job->stage : dot ? dot + 1 : "";
    for (int i = 0; i < GLSL_STAGES; i++) {
        if (strcmp(name, names[i]) == 0)
            return (enum glsl_stage)i;
    }
    die("%s: '%s' is not a stage: give -S vert, frag, comp, geom, tesc, tese, task or mesh", job->source, name);
}

static bool compile(struct job *job)
{
    size_t source_B = 0;
    char *source = read_file(job->source, &source_B);
    if (!source)
        die("%s cannot be read", job->source);
    job->request.stage = stage_of(job);
    job->request.source = source;
    job->request.preamble = job->preamble;
    job->request.debug_name = job->has_debug_info ? job->source : NULL;
    struct glsl_result module = glsl_compile(&job->request);
    const bool is_good = module.words;
    if (!is_good) {
        fprintf(stderr, "compile_shaders: %s does not compile\n", job->source);
        print_messages(job->source, module.messages);
    } else if (!write_module(job, &module)) {
        die("%s cannot be written", job->output);
    }
    glsl_result_finish(&module);
    free(source);
    return is_good;
}

/* "NAME" or "NAME=VALUE" */
static void add_macro(struct job *job, const char *macro)
{
    char *preamble = NULL;
    size_t size_B = 0;
    FILE *f = open_memstream(&preamble, &size_B);
    if (!f)
        die("no memory for macros");
    const char *equals = strchr(macro, '=');
    fprintf(f, "%s#define %.*s %s\n", job->preamble ? job->preamble : "",
            equals ? (int)(equals - macro) : (int)strlen(macro), macro, equals ? equals + 1 : "");
    if (fclose(f))
        die("no memory for macros");
    free(job->preamble);
    job->preamble = preamble;
}

/* Reads the arguments of one shader from *arg on, up to its output. */
static struct job next_job(char ***arg)
{
    struct job job = {0};
    while (!job.output) {
        const char *option = *(*arg)++, *value = option ? **arg : NULL;
        if (!option)
            die("-o OUTPUT expected at the end");
        if (strcmp(option, "-g") == 0 || strcmp(option, "-gVS") == 0) {
            job.has_debug_info = true;
            job.request.has_debug_set = option[2];
            continue;
        }
        if (strcmp(option, "--relax") == 0) {
            job.request.is_relaxed = true;
            continue;
        }
        if (strncmp(option, "-D", 2) == 0 && option[2]) {
            add_macro(&job, option + 2);
            continue;
        }
        if (option[0] != '-') {
            if (job.source)
                die("%s: -o OUTPUT expected before %s", job.source, option);
            job.source = option;
            continue;
        }
        if (!value)
            die("%s needs a value", option);
        (*arg)++;
        if (strcmp(option, "-o") == 0)
            job.output = value;
        else if (strcmp(option, "-S") == 0)
            job.stage = value;
        else if (strcmp(option, "-D") == 0)
            add_macro(&job, value);
        else if (strcmp(option, "--vn") == 0)
            job.array = value;
        else if (strcmp(option, "--target-env") == 0)
            job.request.target = value;
        else
            die("unknown option %s", option);
    }
    if (!job.source)
        die("no source is given for %s", job.output);
    if (!glsl_knows_target(job.request.target))
        die("%s: unknown target %s", job.source, job.request.target);
    return job;
}

int main(int argc, char **argv)
{
    if (!glsl_start())
        die("glslang does not start");
    bool is_good = true;
    for (char **arg = argv + 1; arg < argv + argc;) {
        struct job job = next_job(&arg);
        is_good &= compile(&job);
        free(job.preamble);
    }
    glsl_end();
    return is_good ? 0 : 1;
}
