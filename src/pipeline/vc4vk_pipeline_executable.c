/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_pipeline_executable_properties: lists a pipeline's programs with statistics and code. Reported are the
 * programs of the variant compiled at pipeline creation. Draws that bind other sampling classes compile further
 * variants (docs/techniques.md), which are not reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "hw/qpu.h"
#include "pipeline/vc4vk_pipeline.h"

struct executable {
    const struct vc4vk_program *program;
    enum vc4c_stage stage;
    uint32_t index; /* among the programs of its stage */
    bool writes_records;
    bool draws_records; /* of the pass-through stage */
};

/* The variant compiled at pipeline creation: new variants are added at the head, so it is the last of the list. */
static const struct vc4vk_variant *first_variant(const struct vc4vk_pipeline_stage *stage)
{
    const struct vc4vk_variant *variant = stage->spirv ? atomic_load(&stage->variants) : NULL;
    while (variant && variant->next)
        variant = variant->next;
    return variant;
}

/* Finds executable `index` of the pipeline; false past the last one. */
static bool find_executable(const struct vc4vk_pipeline *pipeline, uint32_t index, struct executable *out)
{
    const struct vc4vk_expander *expander = pipeline->expander;
    const struct vc4vk_pipeline_stage *const stages[] = {expander ? &expander->vertex : NULL,
                                                         expander ? &expander->control : NULL,
                                                         expander ? &expander->evaluation : NULL,
                                                         expander ? &expander->geometry : NULL,
                                                         expander ? &expander->task : NULL,
                                                         expander ? &expander->mesh : NULL,
                                                         &pipeline->vertex,
                                                         &pipeline->fragment,
                                                         &pipeline->compute};
    for (uint32_t i = 0; i < ARRAY_SIZE(stages); i++) {
        const struct vc4vk_variant *variant = stages[i] ? first_variant(stages[i]) : NULL;
        uint32_t count = variant ? variant->program_count : 0;
        if (index < count) {
            *out = (struct executable){.program = variant->programs[index].program,
                                       .stage = stages[i]->entry.stage,
                                       .index = index,
                                       .writes_records = stages[i]->entry.writes_records,
                                       .draws_records = expander && stages[i] == &pipeline->vertex};
            return true;
        }
        index -= count;
    }
    return false;
}

static VkShaderStageFlags stages_of(const struct executable *e)
{
    switch (e->stage) {
    case VC4C_STAGE_VERTEX:
        return VK_SHADER_STAGE_VERTEX_BIT;
    case VC4C_STAGE_FRAGMENT:
        return VK_SHADER_STAGE_FRAGMENT_BIT;
    case VC4C_STAGE_GEOMETRY:
        return VK_SHADER_STAGE_GEOMETRY_BIT;
    case VC4C_STAGE_TESS_CONTROL:
        return VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
    case VC4C_STAGE_TESS_EVALUATION:
        return VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    case VC4C_STAGE_TASK:
        return VK_SHADER_STAGE_TASK_BIT_EXT;
    case VC4C_STAGE_MESH:
        return VK_SHADER_STAGE_MESH_BIT_EXT;
    default:
        return VK_SHADER_STAGE_COMPUTE_BIT;
    }
}

static void describe(const struct executable *e, VkPipelineExecutablePropertiesKHR *out)
{
    out->stages = stages_of(e);
    out->subgroupSize = 16;
    const char *where = e->program->compiled.is_engine ? ", run by the CPU engine" : "";
    if (e->writes_records) {
        static const struct {
            const char *name, *does;
        } stages[VC4C_STAGES] = {
            [VC4C_STAGE_VERTEX] = {"vertex", "shades vertices for the program of the next stage"},
            [VC4C_STAGE_TESS_CONTROL] = {"tessellation control", "makes output patches"},
            [VC4C_STAGE_TESS_EVALUATION] = {"tessellation evaluation", "shades the tessellator's vertices"},
            [VC4C_STAGE_GEOMETRY] = {"geometry", "emits vertices"},
            [VC4C_STAGE_TASK] = {"task", "decides how many meshes there are"},
            [VC4C_STAGE_MESH] = {"mesh", "makes vertices and primitives"},
        };
        snprintf(out->name, sizeof out->name, "%s program", stages[e->stage].name);
        snprintf(out->description, sizeof out->description, "%s%s", stages[e->stage].does, where);
    } else if (e->stage == VC4C_STAGE_VERTEX) {
        snprintf(out->name, sizeof out->name, "%s%s program", e->draws_records ? "pass-through " : "",
                 e->index ? "vertex" : "coordinate");
        snprintf(out->description, sizeof out->description, "%s vertices for %s%s",
                 e->draws_records ? "passes on" : "shades", e->index ? "rendering" : "binning", where);
    } else if (e->stage == VC4C_STAGE_FRAGMENT) {
        snprintf(out->name, sizeof out->name, "fragment program %u", e->index);
        snprintf(out->description, sizeof out->description, "shades fragments of replay %u of the draws%s", e->index,
                 where);
    } else {
        snprintf(out->name, sizeof out->name, "compute program");
        snprintf(out->description, sizeof out->description, "runs subgroups of 16 invocations%s", where);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPipelineExecutablePropertiesKHR(VkDevice device,
                                                                        const VkPipelineInfoKHR *pPipelineInfo,
                                                                        uint32_t *pExecutableCount,
                                                                        VkPipelineExecutablePropertiesKHR *pProperties)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline, pipeline, pPipelineInfo->pipeline);
    struct executable e;
    uint32_t count = 0;
    for (; find_executable(pipeline, count, &e); count++)
        if (pProperties && count < *pExecutableCount)
            describe(&e, &pProperties[count]);
    bool is_short = pProperties && *pExecutableCount < count;
    if (!is_short)
        *pExecutableCount = count;
    return is_short ? VK_INCOMPLETE : VK_SUCCESS;
}

/* -- statistics --------------------------------------------------------------------------------------------------- */

struct statistic {
    const char *name, *description;
    uint64_t value;
};

static uint32_t list_statistics(const struct vc4c_program *p, struct statistic out[8])
{
    uint32_t count = 0;
    out[count++] = (struct statistic){"Instructions", "64-bit QPU instructions", p->instruction_count};
    out[count++] = (struct statistic){"Cycles", "Estimated for one pass of 16 lanes, without waiting for memory",
                                      p->stats.cycles};
    out[count++] = (struct statistic){"Threads", "Hardware threads of a QPU that share its registers",
                                      p->threaded ? 2 : 1};
    out[count++] = (struct statistic){"Registers", "Of the two files of 32", p->stats.registers};
    out[count++] = (struct statistic){"Uniforms", "Words of the uniform stream", p->uniform_count};
    out[count++] = (struct statistic){"Lookups", "Requests to the texture units", p->stats.lookups};
    out[count++] = (struct statistic){"Spill rows", "Spilled values that a QPU holds (CPU engine only)",
                                      p->stats.spill_rows};
    out[count++] = (struct statistic){"Scratch", "Bytes of further spilled values and of arrays, for a QPU",
                                      p->scratch_B};
    return count;
}

VKAPI_ATTR VkResult VKAPI_CALL
vc4vk_GetPipelineExecutableStatisticsKHR(VkDevice device, const VkPipelineExecutableInfoKHR *pExecutableInfo,
                                         uint32_t *pStatisticCount, VkPipelineExecutableStatisticKHR *pStatistics)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline, pipeline, pExecutableInfo->pipeline);
    struct executable e;
    struct statistic list[8];
    uint32_t count = find_executable(pipeline, pExecutableInfo->executableIndex, &e)
                         ? list_statistics(&e.program->compiled, list)
                         : 0;
    for (uint32_t i = 0; pStatistics && i < MIN2(count, *pStatisticCount); i++) {
        snprintf(pStatistics[i].name, sizeof pStatistics[i].name, "%s", list[i].name);
        snprintf(pStatistics[i].description, sizeof pStatistics[i].description, "%s", list[i].description);
        pStatistics[i].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        pStatistics[i].value.u64 = list[i].value;
    }
    bool is_short = pStatistics && *pStatisticCount < count;
    if (!is_short)
        *pStatisticCount = count;
    return is_short ? VK_INCOMPLETE : VK_SUCCESS;
}

/* -- code --------------------------------------------------------------------------------------------------------- */

/* Disassembles the program to zero-terminated text, which the caller frees. NULL: out of memory. */
static char *program_text(const struct vc4c_program *p, size_t *size_out)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size_out);
    if (!stream)
        return NULL;
    qpu_dump(stream, p->code, p->instruction_count);
    if (fclose(stream)) {
        free(text);
        return NULL;
    }
    ++*size_out;
    return text;
}

/* Copies as much of the text as fits, always zero-terminated. */
static VkResult copy_text(const struct vc4c_program *p, VkPipelineExecutableInternalRepresentationKHR *out)
{
    size_t size_B = 0;
    char *text = program_text(p, &size_B);
    if (!text)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    if (out->pData && out->dataSize < size_B) {
        result = VK_INCOMPLETE;
        if (out->dataSize)
            text[out->dataSize - 1] = 0;
    } else {
        out->dataSize = size_B;
    }
    if (out->pData)
        memcpy(out->pData, text, out->dataSize);
    free(text);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice _device, const VkPipelineExecutableInfoKHR *pExecutableInfo, uint32_t *pInternalRepresentationCount,
    VkPipelineExecutableInternalRepresentationKHR *pInternalRepresentations)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_pipeline, pipeline, pExecutableInfo->pipeline);
    struct executable e;
    uint32_t count = find_executable(pipeline, pExecutableInfo->executableIndex, &e);
    if (!pInternalRepresentations || !count) {
        *pInternalRepresentationCount = count;
        return VK_SUCCESS;
    }
    if (!*pInternalRepresentationCount)
        return VK_INCOMPLETE;
    *pInternalRepresentationCount = 1;
    VkPipelineExecutableInternalRepresentationKHR *out = &pInternalRepresentations[0];
    snprintf(out->name, sizeof out->name, "QPU");
    snprintf(out->description, sizeof out->description,
             "The program's instructions, as the model and the chip run them");
    out->isText = VK_TRUE;
    VkResult result = copy_text(&e.program->compiled, out);
    return result == VK_ERROR_OUT_OF_HOST_MEMORY ? vc4vk_oom(device) : result;
}
