/* SPDX-License-Identifier: MIT
 *
 * Pipeline lines: the time of vkCreateGraphicsPipelines for the shaders of the corpus, one pipeline each, without a
 * pipeline cache and with modules that have not been used before.
 */
#include <stdio.h>
#include "bench.h"
#include "corpus_pipeline.h"

static void one_pipeline(struct bench_device *d, const struct corpus_common *c, const struct corpus_shader *s)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = s->size_B, .pCode = s->words};
    struct corpus_layout l;
    VkShaderModule module;
    VkPipeline pipeline;
    if (vkCreateShaderModule(d->device, &info, NULL, &module) != VK_SUCCESS)
        return;
    if (corpus_layout_init(d->device, s, &l) == VK_SUCCESS) {
        uint64_t start_ns = bench_now_ns();
        if (corpus_pipeline_create(d->device, c, &l, s, module, 64, &pipeline) == VK_SUCCESS) {
            bench_item(s->name, bench_now_ns() - start_ns);
            vkDestroyPipeline(d->device, pipeline, NULL);
        }
    }
    corpus_layout_finish(d->device, &l);
    vkDestroyShaderModule(d->device, module, NULL);
}

/* Shaders that do not fit the chip compile to programs many times as long as the rest, so they are a separate line. */
static bool run_corpus(struct bench_device *d, bool for_engine)
{
    struct corpus corpus;
    struct corpus_common c;
    if (!corpus_read(&corpus, CORPUS_LIST))
        return false;
    bool good = corpus_common_init(d->device, &c) == VK_SUCCESS;
    if (!good)
        fputs("vc4-bench: the render passes and shader modules of the corpus cannot be created\n", stderr);
    for (uint32_t i = 0; i < corpus.count && good; i++)
        if (corpus.shaders[i].stage != CORPUS_COMP && (corpus.shaders[i].expected.cpu[0] != 0) == for_engine)
            one_pipeline(d, &c, &corpus.shaders[i]);
    corpus_common_finish(d->device, &c);
    corpus_free(&corpus);
    return good;
}

static bool run_pipelines(struct bench_device *d)
{
    return run_corpus(d, false);
}

static bool run_engine_pipelines(struct bench_device *d)
{
    return run_corpus(d, true);
}

const struct bench_line bench_pipelines[] = {
    {"pipelines", "vkCreateGraphicsPipelines over the shaders of the corpus, caches off", run_pipelines},
    {"pipelines-engine", "the same for the shaders that do not fit the chip", run_engine_pipelines},
    {0},
};
