/* SPDX-License-Identifier: MIT
 *
 * Fails the n-th allocation, for each n: every call of the compiler's public interface must return VC4C_OUT_OF_MEMORY,
 * or VC4C_OK once n is large enough, and must not leak.
 *
 *   memory MODULE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/vc4c.h"

struct counter {
    int live;        /* allocations that are not freed */
    int until_fail;  /* allocations that succeed before one fails; < 0: none fails */
};

static void *count_alloc(void *data, size_t size_B, size_t align_B)
{
    struct counter *c = data;
    if (c->until_fail-- == 0)
        return NULL;
    c->live++;
    return malloc(size_B);
}

static void count_free(void *data, void *ptr)
{
    struct counter *c = data;
    c->live -= ptr != NULL;
    free(ptr);
}

static void fill_key(struct vc4c_key *key, const struct vc4c_interface *interface)
{
    memset(key, 0, sizeof *key);
    key->fs.color_format = HW_FORMAT_R8G8B8A8_UNORM;
    key->fs.write_mask = 15;
    key->fs.logic_op = VC4C_LOGIC_COPY;
    key->fs.samples = 1;
    key->class_count = interface->texture_count;
}

static enum vc4c_result run_compiler(const uint32_t *words, size_t size_B, const struct util_alloc *alloc)
{
    static struct vc4c_interface interface;
    static struct vc4c_program program;
    static struct vc4c_key key;
    struct vc4c_module *module;
    struct vc4c_error error = {{0}};
    enum vc4c_result result = vc4c_module_create(words, size_B, alloc, &module, &error);
    if (result)
        return result;
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    result = vc4c_get_interface(&entry, alloc, &interface, &error);
    if (!result) {
        fill_key(&key, &interface);
        result = vc4c_compile(&entry, VC4C_PROGRAM_FRAGMENT, &key, alloc, &program, &error);
    }
    if (!result)
        vc4c_program_finish(&program);
    vc4c_module_destroy(module);
    return result;
}

int main(int argc, char **argv)
{
    static uint32_t words[1 << 14];
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t count = f ? fread(words, 4, sizeof words / 4, f) : 0;
    bool ok = count > 0;
    int n = 0;
    if (f)
        fclose(f);
    for (enum vc4c_result result = VC4C_OUT_OF_MEMORY; ok && result; n++) {
        struct counter c = {.until_fail = n};
        struct util_alloc alloc = {&c, count_alloc, count_free};
        result = run_compiler(words, count * 4, &alloc);
        if ((result && result != VC4C_OUT_OF_MEMORY) || c.live || n > 10000) {
            printf("# allocation %d failed: result %d, %d allocations leaked\n", n, (int)result, c.live);
            ok = false;
        }
    }
    printf("1..1\n# %d allocations\n%sok 1 - each allocation fails once\n", n, ok && n > 5 ? "" : "not ");
    return !ok || n <= 5;
}
