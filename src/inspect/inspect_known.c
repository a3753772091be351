/* SPDX-License-Identifier: MIT
 *
 * What the driver has registered about its programs, by their code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "inspect/inspect_state.h"

static void free_program_info(struct inspect_program_info *info)
{
    for (uint32_t i = 0; info->sources && i < info->count; i++)
        free(info->sources[i]);
    free(info->sources);
    for (uint32_t i = 0; i < info->file_count; i++)
        free(info->files[i].name);
    free(info->files);
    free(info->lines);
    free(info);
}

/* The inspector's copy of a text, which lives as long as the inspector: programs of one module share it. NULL when out
 * of memory. */
static char *keep_text(struct inspect *inspect, const char *text)
{
    const size_t size_B = strlen(text) + 1;
    pthread_mutex_lock(&inspect->mutex);
    char *kept = util_hash_table_lookup(&inspect->texts, text, size_B);
    if (!kept) {
        kept = strdup(text);
        if (kept && !util_hash_table_insert(&inspect->texts, text, size_B, kept)) {
            free(kept);
            kept = NULL;
        }
    }
    pthread_mutex_unlock(&inspect->mutex);
    return kept;
}

/* Copies files and lines. When memory runs out the lines stay unknown. */
static void copy_lines(struct inspect *inspect, struct inspect_program_info *info,
                       const struct inspect_program *program)
{
    info->files = calloc(MAX2(program->file_count, 1u), sizeof *info->files);
    struct inspect_line *lines = calloc(MAX2(program->count, 1u), sizeof *lines);
    bool ok = info->files && lines;
    for (uint32_t i = 0; ok && i < program->file_count; i++) {
        struct inspect_source_file *file = &info->files[info->file_count++];
        file->name = strdup(program->files[i].name);
        file->text = program->files[i].text ? keep_text(inspect, program->files[i].text) : NULL;
        ok = file->name && !file->text == !program->files[i].text;
    }
    for (uint32_t i = 0; ok && i < program->count; i++)
        lines[i] = program->lines[i].file < info->file_count ? program->lines[i] : (struct inspect_line){0};
    if (ok)
        info->lines = lines;
    else
        free(lines);
}

static struct inspect_program_info *make_program_info(struct inspect *inspect, const struct inspect_program *program)
{
    struct inspect_program_info *info = calloc(1, sizeof *info);
    if (!info)
        return NULL;
    info->count = program->count;
    info->module_hash = program->module_hash;
    snprintf(info->entry, sizeof info->entry, "%s", program->entry ? program->entry : "");
    info->sources = program->sources ? calloc(MAX2(program->count, 1u), sizeof *info->sources) : NULL;
    for (uint32_t i = 0; info->sources && i < program->count; i++)
        info->sources[i] = program->sources[i] ? strdup(program->sources[i]) : NULL;
    if (program->lines)
        copy_lines(inspect, info, program);
    return info;
}

void inspect_add_program(struct inspect *inspect, const struct inspect_program *program)
{
    if (!inspect || inspect_find_program(inspect, program->code, program->count))
        return;
    struct inspect_program_info *info = make_program_info(inspect, program);
    if (!info)
        return;
    pthread_mutex_lock(&inspect->mutex);
    if (util_hash_table_lookup(&inspect->programs, program->code, program->count * sizeof *program->code) ||
        !util_hash_table_insert(&inspect->programs, program->code, program->count * sizeof *program->code, info))
        free_program_info(info);
    pthread_mutex_unlock(&inspect->mutex);
}

const struct inspect_program_info *inspect_find_program(struct inspect *inspect, const uint64_t *code, uint32_t count)
{
    pthread_mutex_lock(&inspect->mutex);
    const struct inspect_program_info *info = util_hash_table_lookup(&inspect->programs, code, count * sizeof *code);
    pthread_mutex_unlock(&inspect->mutex);
    return info;
}

void inspect_finish_programs(struct inspect *inspect)
{
    util_hash_table_for_each(entry, &inspect->programs) free_program_info(entry->value);
    util_hash_table_finish(&inspect->programs);
    util_hash_table_for_each(entry, &inspect->texts) free(entry->value);
    util_hash_table_finish(&inspect->texts);
}
