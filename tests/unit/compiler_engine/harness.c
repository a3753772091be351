/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <vc4_drm.h>
#include "harness.h"
#include "hw/qpu.h"

#define BO_B         (8u << 20)
#define MAX_REQUESTS 1024u
#define CODE_PAGE_B  4096u /* the model reads whole pages of code */

char **harness_args;
int harness_arg_count;

/* ---------------------------------------------------------------- memory */

int harness_setup(void **state)
{
    struct harness *h = calloc(1, sizeof *h);
    struct model_options options = {.threads = 1, .job_timeout_ns = 60000000000};
    struct drm_vc4_create_bo create = {.size = BO_B};

    assert_int_equal(model_engine_create(3, &h->engine), 0);
    assert_int_equal(model_create(&options, &h->dev), 0);
    assert_int_equal(model_open(h->dev, &h->file), 0);
    assert_int_equal(model_ioctl(h->file, DRM_IOCTL_VC4_CREATE_BO, &create), 0);
    assert_int_equal(model_bo_address(h->file, create.handle, &h->bo_addr), 0);
    h->bo = model_bo_map(h->file, create.handle, NULL);
    h->memory_addr = h->bo_addr;
    h->table = harness_alloc(h, MAX_BINDINGS * MAX_ELEMENTS * 4);
    h->states = harness_alloc(h, MAX_BINDINGS * MAX_ELEMENTS * sizeof *h->states);
    h->push = harness_alloc(h, 256);
    for (unsigned i = 0; i < MAX_BINDINGS * MAX_ELEMENTS; i++)
        h->table[i] = i * (uint32_t)sizeof *h->states;
    *state = h;
    return 0;
}

int harness_teardown(void **state)
{
    struct harness *h = *state;
    if (h->program.code)
        vc4c_program_finish(&h->program);
    model_engine_destroy(h->engine);
    model_close(h->file);
    model_destroy(h->dev);
    free(h);
    return 0;
}

void *harness_alloc(struct harness *h, uint32_t size_B)
{
    uint8_t *p = h->bo + h->used_B;
    h->used_B += util_align(size_B, 64);
    assert_true(h->used_B <= BO_B);
    memset(p, 0, size_B);
    return p;
}

/* Code gets its own pages, as in the driver. */
static void *code_alloc(struct harness *h, uint32_t size_B)
{
    h->used_B = util_align(h->used_B, CODE_PAGE_B);
    return harness_alloc(h, util_align(size_B, CODE_PAGE_B));
}

uint32_t harness_addr(const struct harness *h, const void *p)
{
    return h->bo_addr + (uint32_t)((const uint8_t *)p - h->bo);
}

void harness_bind(struct harness *h, unsigned binding, unsigned element, const void *p, uint32_t size_B)
{
    h->states[binding * MAX_ELEMENTS + element] =
        (struct hw_engine_descriptor){.address = harness_addr(h, p), .limit_B = size_B & ~3u, .size_B = size_B};
}

void harness_bind_image(struct harness *h, unsigned binding, unsigned element, const void *p, uint32_t texel_B,
                        uint32_t width, uint32_t height, uint32_t depth)
{
    h->states[binding * MAX_ELEMENTS + element] =
        (struct hw_engine_descriptor){.address = harness_addr(h, p),
                                      .texel_stride_B = texel_B,
                                      .texel_B = texel_B,
                                      .word_stride_B = 4,
                                      .width = width,
                                      .height = height,
                                      .depth = depth,
                                      .row_stride_B = texel_B * width,
                                      .layer_stride_B = texel_B * width * height};
}

/* ---------------------------------------------------------------- programs */

static uint8_t *read_file(const char *path, size_t *size_B)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    if (!f)
        fail_msg("cannot read %s", path);
    *size_B = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

static const char *path_of(const char *name)
{
    for (int i = 1; i < harness_arg_count; i++) {
        const char *slash = strrchr(harness_args[i], '/'), *base = slash ? slash + 1 : harness_args[i];
        if (!strncmp(base, name, strlen(name)) && !strcmp(base + strlen(name), ".comp.spv"))
            return harness_args[i];
    }
    fail_msg("%s.comp.spv is not among the test's arguments", name);
    return NULL;
}

static void compile(struct harness *h, const char *name, const struct vc4c_spec_constant *specs, uint32_t spec_count)
{
    struct vc4c_error error = {0};
    struct vc4c_module *module;
    struct vc4c_key key;
    size_t size_B;
    uint8_t *spirv = read_file(path_of(name), &size_B);

    memset(&key, 0, sizeof key);
    key.target = VC4C_TARGET_CPU_ENGINE;
    if (vc4c_module_create((const uint32_t *)(const void *)spirv, size_B, NULL, &module, &error))
        fail_msg("%s: %s", name, error.text);
    struct vc4c_entry entry = {.module = module,
                               .name = "main",
                               .stage = VC4C_STAGE_COMPUTE,
                               .specs = specs,
                               .spec_count = spec_count,
                               .array_sizes = h->array_sizes,
                               .array_size_count = h->array_size_count,
                               .stored_formats = h->stored_formats,
                               .stored_format_count = h->stored_format_count,
                               .prints = h->print != NULL};
    if (h->program.code)
        vc4c_program_finish(&h->program);
    if (vc4c_compile(&entry, VC4C_PROGRAM_COMPUTE, &key, NULL, &h->program, &error))
        fail_msg("%s: %s (word %u)", name, error.text, error.offset_words);
    vc4c_module_destroy(module);
    free(spirv);
}

/* ---------------------------------------------------------------- requests */

struct row {
    uint32_t first, end, y, z, count[3], subgroup, shared, scratch, tables, stream;
};

static uint32_t word_of(const struct harness *h, const struct vc4c_uniform *u, const struct row *row);

static uint32_t expr_of(const struct harness *h, uint32_t step, const struct row *row)
{
    const struct vc4c_expr *e = &h->program.exprs[step];
    uint32_t out = 0;
    if (e->op == HW_EXPR_WORD)
        return word_of(h, &e->word, row);
    assert_true(hw_expr(e->op, expr_of(h, e->src[0], row), expr_of(h, e->src[1], row), expr_of(h, e->src[2], row), &out));
    return out;
}

static uint32_t word_of(const struct harness *h, const struct vc4c_uniform *u, const struct row *row)
{
    const struct vc4c_resource *r = &h->program.resources[u->ref];
    uint32_t word;
    switch ((enum vc4c_uniform_kind)u->kind) {
    case VC4C_UNIFORM_CONSTANT:
        return u->data;
    case VC4C_UNIFORM_PUSH:
        memcpy(&word, h->push + u->data, 4);
        return word;
    case VC4C_UNIFORM_EXPR:
        return expr_of(h, u->data, row);
    case VC4C_UNIFORM_STREAM_ADDRESS:
        return row->stream;
    case VC4C_UNIFORM_ENGINE_ENTRY:
        return harness_addr(h, h->table + r->binding * MAX_ELEMENTS);
    case VC4C_UNIFORM_ENGINE_STATES:
        return harness_addr(h, h->states);
    case VC4C_UNIFORM_ENGINE_PUSH:
        return harness_addr(h, h->push);
    case VC4C_UNIFORM_ENGINE_MEMORY:
        return h->memory_addr;
    case VC4C_UNIFORM_ENGINE_SHARED:
        return row->shared;
    case VC4C_UNIFORM_ENGINE_SCRATCH:
        return row->scratch + u->data;
    case VC4C_UNIFORM_ENGINE_SCRATCH_B:
        return h->program.scratch_B;
    case VC4C_UNIFORM_TABLE_LIMIT:
    case VC4C_UNIFORM_TABLE_BASE:
        assert_true(vc4c_table_word(&h->program, u, &word));
        return u->kind == VC4C_UNIFORM_TABLE_BASE ? row->tables + word : word;
    case VC4C_UNIFORM_ENGINE_PRINT:
        return h->print ? harness_addr(h, h->print) : VC4C_ENGINE_NULL;
    case VC4C_UNIFORM_WORKGROUP_FIRST:
        return row->first;
    case VC4C_UNIFORM_WORKGROUP_END:
        return row->end;
    case VC4C_UNIFORM_WORKGROUP_Y:
        return row->y;
    case VC4C_UNIFORM_WORKGROUP_Z:
        return row->z;
    case VC4C_UNIFORM_WORKGROUP_COUNT:
        return row->count[u->data];
    case VC4C_UNIFORM_SUBGROUP:
        return row->subgroup;
    default:
        fail_msg("the harness does not support uniforms of kind %u", u->kind);
        return 0;
    }
}

static struct model_user_request request(struct harness *h, uint32_t code, const struct row *row)
{
    uint32_t *stream = harness_alloc(h, 4 * (h->program.uniform_count + 1));
    struct row r = *row;
    r.stream = harness_addr(h, stream);
    for (uint32_t i = 0; i < h->program.uniform_count; i++)
        stream[i] = word_of(h, &h->program.uniforms[i], &r);
    if (h->program.extra_stream_word)
        stream[h->program.uniform_count] = r.stream;
    return (struct model_user_request){code, r.stream, 0};
}

static void run(struct harness *h, const char *name, const struct model_user_request *requests, unsigned count)
{
    struct model_user_result result;
    struct model_engine_range all = {h->bo_addr, BO_B};
    struct model_engine_job job = {.memory = h->bo - h->bo_addr, .ranges = &all, .range_count = 1,
                                   .requests = requests, .request_count = count,
                                   .group = h->program.has_barriers ? h->program.subgroups : 0,
                                   .timeout_ns = UINT64_MAX,
                                   .group_timeout_ns = UINT64_C(60000000000)};
    if (model_engine_run(h->engine, &job, &result)) {
        qpu_dump(stderr, h->program.code, h->program.instruction_count);
        fail_msg("%s: %s", name, result.message);
    }
    assert_int_equal(result.completed, count);
    h->stray_accesses = result.stray_accesses;
    if (!h->may_stray)
        assert_int_equal(result.stray_accesses, 0);
}

void harness_dispatch(struct harness *h, const char *name, const struct vc4c_spec_constant *specs, uint32_t spec_count,
                      uint32_t x, uint32_t y, uint32_t z)
{
    struct model_user_request requests[MAX_REQUESTS];
    unsigned count = 0;
    uint32_t mark = h->used_B;

    compile(h, name, specs, spec_count);
    const struct vc4c_program *p = &h->program;
    if (getenv("ENGINE_DUMP"))
        qpu_dump(stderr, p->code, p->instruction_count);
    uint64_t *code = code_alloc(h, 8 * p->instruction_count);
    memcpy(code, p->code, 8 * p->instruction_count);
    if (h->patch_from)
        code[h->patch_from] = h->patch_to;
    const uint32_t sets = p->has_barriers ? (p->subgroups + 15) / 16 : 1;
    uint32_t scratch = harness_addr(h, harness_alloc(h, model_engine_qpu_count(h->engine) * sets * p->scratch_B + 4));
    uint32_t *tables = harness_alloc(h, 4 * p->table_word_count + 4);
    if (p->table_word_count)
        memcpy(tables, p->table_words, 4 * p->table_word_count);
    for (uint32_t k = 0; k < y * z; k++) {
        struct row row = {.end = x,
                          .y = k % y,
                          .z = k / y,
                          .count = {x, y, z},
                          .scratch = scratch,
                          .tables = harness_addr(h, tables)};
        row.shared = harness_addr(h, harness_alloc(h, p->shared_B + 4));
        for (row.subgroup = 0; row.subgroup < p->subgroups; row.subgroup++) {
            assert_true(count < MAX_REQUESTS);
            requests[count++] = request(h, harness_addr(h, code), &row);
        }
    }
    run(h, name, requests, count);
    h->used_B = mark;
}
