/* SPDX-License-Identifier: MIT
 *
 * Runs compute shaders as the driver does: compiles them, builds binding tables, descriptors and uniform streams as
 * described in docs/cpu-engine.md, and submits rows of workgroups to the model's CPU engine.
 */
#ifndef TEST_COMPILER_ENGINE_HARNESS_H
#define TEST_COMPILER_ENGINE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/vc4c.h"
#include "model/model.h"

#define MAX_BINDINGS 8
#define MAX_ELEMENTS 4

struct harness {
    struct model_device *dev;
    struct model_file *file;
    struct model_engine *engine;
    uint8_t *bo;
    uint32_t bo_addr, used_B;
    uint32_t memory_addr;                            /* below it 64-bit addresses reach nothing */
    uint32_t *table;                                 /* MAX_ELEMENTS entries per binding */
    struct hw_engine_descriptor *states;             /* in the order of the table */
    uint8_t *push;
    struct vc4c_program program;                     /* of the last dispatch */
    uint32_t *print;                                 /* print memory: the program prints; or NULL */
    bool may_stray;                                  /* accesses outside of all memory are not an error */
    uint32_t stray_accesses;                         /* of the last dispatch */
    uint32_t patch_from;                             /* instruction that patch_to replaces; 0: none */
    uint64_t patch_to;
    const struct vc4c_array_size *array_sizes;       /* of the layout, for arrays without a size */
    uint32_t array_size_count;
    const struct vc4c_stored_format *stored_formats; /* of views, where they differ from what the shader declares */
    uint32_t stored_format_count;
};

int harness_setup(void **state);
int harness_teardown(void **state);

/* Returns zeroed memory that the QPUs can access, valid until teardown. */
void *harness_alloc(struct harness *h, uint32_t size_B);
uint32_t harness_addr(const struct harness *h, const void *p);

/* Binds a buffer to one array element of a binding. */
void harness_bind(struct harness *h, unsigned binding, unsigned element, const void *p, uint32_t size_B);
/* A storage image in raster order, or a texel buffer (height and depth 1). */
void harness_bind_image(struct harness *h, unsigned binding, unsigned element, const void *p, uint32_t texel_B,
                        uint32_t width, uint32_t height, uint32_t depth);

/* Runs glsl/NAME.comp, whose module must be among the arguments, for x * y * z workgroups. Fails the test on any error
 * and on stray memory accesses. */
void harness_dispatch(struct harness *h, const char *name, const struct vc4c_spec_constant *specs, uint32_t spec_count,
                      uint32_t x, uint32_t y, uint32_t z);

extern char **harness_args;
extern int harness_arg_count;

#endif
