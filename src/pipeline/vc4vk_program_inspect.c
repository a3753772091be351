/* SPDX-License-Identifier: MIT
 *
 * Tells the frame inspector what a program was compiled from: for each instruction of the QPU, the SPIR-V instruction
 * as text and, where the module has debug information, the line of the source code.
 */
#include <stdlib.h>
#include <string.h>
#include "inspect/inspect.h"
#include "pipeline/vc4vk_program.h"

/* One line of SPIR-V text per instruction, where it is known. NULL when out of memory. */
static char **print_origins(const struct vc4c_module *module, const struct vc4c_program *program)
{
    const uint32_t count = program->instruction_count;
    char **texts = calloc(MAX2(count, 1u), sizeof *texts);
    for (uint32_t i = 0; texts && program->origins && i < count; i++) {
        char line[192];
        if (vc4c_module_print(module, program->origins[i], line, sizeof line) > 0)
            texts[i] = strdup(line);
    }
    return texts;
}

static void free_texts(char **texts, uint32_t count)
{
    for (uint32_t i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

/* The lines in the inspector's form; NULL when there are none. */
static struct inspect_line *find_lines(const struct vc4c_module *module, const struct vc4c_program *program,
                                       struct vc4c_lines *lines, struct inspect_file files[VC4C_MAX_SOURCES])
{
    const uint32_t count = program->instruction_count;
    if (!program->origins || !vc4c_module_lines(module, program->origins, count, NULL, lines) || !lines->source_count)
        return NULL;
    struct inspect_line *found = calloc(MAX2(count, 1u), sizeof *found);
    for (uint32_t i = 0; found && i < count; i++)
        found[i] = (struct inspect_line){lines->lines[i].source, lines->lines[i].line};
    for (uint32_t i = 0; i < lines->source_count; i++)
        files[i] = (struct inspect_file){lines->sources[i].name, lines->sources[i].text};
    return found;
}

void vc4vk_program_inspect(struct inspect *inspect, const struct vc4vk_program_info *info,
                           const struct vc4c_program *program)
{
    const struct vc4c_module *module = info->spirv->module;
    struct inspect_file files[VC4C_MAX_SOURCES] = {{0}};
    struct vc4c_lines lines = {0};
    uint64_t module_hash;
    memcpy(&module_hash, info->spirv->digest.bytes, sizeof module_hash);
    char **texts = print_origins(module, program);
    struct inspect_line *found = find_lines(module, program, &lines, files);
    inspect_add_program(inspect, &(struct inspect_program){
                                     .code = program->code,
                                     .count = program->instruction_count,
                                     .entry = info->entry.name,
                                     .module_hash = module_hash,
                                     .sources = (const char *const *)texts,
                                     .files = files,
                                     .file_count = lines.source_count,
                                     .lines = found,
                                 });
    free_texts(texts, program->instruction_count);
    free(found);
    vc4c_lines_finish(&lines);
}
