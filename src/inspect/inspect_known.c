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
    free(info);
}

static struct inspect_program_info *make_program_info(const struct inspect_program *program)
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
    return info;
}

void inspect_add_program(struct inspect *inspect, const struct inspect_program *program)
{
    if (!inspect || inspect_find_program(inspect, program->code, program->count))
        return;
    struct inspect_program_info *info = make_program_info(program);
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
}
