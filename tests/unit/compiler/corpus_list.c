/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "corpus_list.h"

static void *read_file(const char *name, size_t *size_B)
{
    FILE *f = fopen(name, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : -1;
    char *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (data && (fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size)) {
        free(data);
        data = NULL;
    }
    if (data) {
        data[size] = 0;
        *size_B = (size_t)size;
    }
    if (f)
        fclose(f);
    return data;
}

static enum corpus_stage stage_of(const char *name)
{
    const char *end = strrchr(name, '.');
    return !strcmp(end, ".vert") ? CORPUS_VERT : !strcmp(end, ".frag") ? CORPUS_FRAG : CORPUS_COMP;
}

/* Finds declarations only at the beginning of a line. */
static void read_declarations(struct corpus_shader *s, const char *text)
{
    unsigned location, outputs = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *end = line + strcspn(line, "\n");
        if (sscanf(line, "layout(location = %u", &location) != 1)
            continue;
        const char *in = strstr(line, " in ");
        if (in && in < end && location < CORPUS_INPUTS)
            s->input_types[location] = in[4] == 'i' ? CORPUS_INT : in[4] == 'u' ? CORPUS_UINT : CORPUS_FLOAT;
        const char *out = strstr(line, "out ");
        if (out && out < end) {
            outputs++;
            s->writes_one_vec4 = outputs == 1 && location == 0 && !strncmp(out, "out vec4 c;", 11);
        }
    }
}

static bool read_shader(struct corpus_shader *s, const char *source, const char *module)
{
    const char *base = strrchr(source, '/');
    size_t text_B;
    *s = (struct corpus_shader){0};
    char *text = read_file(source, &text_B);
    if (!text)
        return false;
    snprintf(s->name, sizeof s->name, "%.63s", base ? base + 1 : source);
    s->stage = stage_of(s->name);
    s->type = strstr(text, "out ivec4") ? CORPUS_INT : strstr(text, "out uvec4") ? CORPUS_UINT : CORPUS_FLOAT;
    read_declarations(s, text);
    s->has_expectations = glsl_read(source, &s->expected);
    free(text);
    s->words = read_file(module, &s->size_B);
    return s->words != NULL;
}

bool corpus_read(struct corpus *corpus, const char *list)
{
    char line[2048];
    uint32_t capacity = 0;
    FILE *f = fopen(list, "r");
    *corpus = (struct corpus){0};
    if (!f) {
        fprintf(stderr, "%s: cannot read the list of shaders\n", list);
        return false;
    }
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t'), *end = strchr(line, '\n');
        if (!tab || !end)
            break;
        *tab = *end = 0;
        if (corpus->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            struct corpus_shader *grown = realloc(corpus->shaders, capacity * sizeof *grown);
            if (!grown)
                break;
            corpus->shaders = grown;
        }
        if (!read_shader(&corpus->shaders[corpus->count++], line, tab + 1)) {
            fprintf(stderr, "cannot read the shader %s or its module %s\n", line, tab + 1);
            fclose(f);
            return false;
        }
    }
    fclose(f);
    return corpus->count > 0;
}

void corpus_free(struct corpus *corpus)
{
    for (uint32_t i = 0; i < corpus->count; i++)
        free(corpus->shaders[i].words);
    free(corpus->shaders);
    *corpus = (struct corpus){0};
}
