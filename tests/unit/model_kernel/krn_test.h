/* SPDX-License-Identifier: MIT
 *
 * Helpers for tests of the model's kernel half: a fake chip that records its jobs without running them, programs from
 * text, and a small job that obeys all rules and that each test modifies.
 */
#ifndef KRN_TEST_H
#define KRN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <vc4_drm.h>
#include "hw/cl.h"
#include "model/gpu/gpu.h"
#include "model/kernel/krn_refuse.h"
#include "model/model.h"

/* The last jobs of the chip, and settings for its behaviour. */
struct fake_chip {
    const struct gpu_memory *mem;
    struct gpu_bin_job bin;
    struct gpu_render_job render;
    _Atomic uint32_t bins;
    uint32_t renders;
    uint8_t bin_list[4096], render_list[8192]; /* copies, taken while the job ran */
    uint32_t bin_list_B, render_list_B;
    uint32_t want_slots; /* overspill slots to ask for in each bin job */
    uint32_t got_slots;
    bool hang_bin, hang_render;
    bool counts; /* each bin job counts 3 of event 10, each render job 5 of event 3 */
    uint64_t sleep_ns;          /* duration of each render job */
    uint32_t bins_wanted;       /* each render job waits until this many jobs have begun to bin, for at most 60 s */
    bool bin_wait_timed_out;
    uint32_t copy_addr, copy_B; /* copied to `copied` while binning: shader records and uniforms are freed afterwards */
    uint8_t copied[4096];
};
extern struct fake_chip chip;

enum { BO_FS, BO_VS, BO_CS, BO_VERTICES, BO_INDICES, BO_COLOR, BO_ZS, BO_TEXTURE, BO_COUNT };

#define JOB_SIZE_PX 64u
#define VERTEX_BO_B 4096u
#define INDEX_BO_B  4096u

/* A job with one draw and one shader record. A test changes fields, then job_submit builds the lists from them. */
struct test_job {
    struct model_device *dev;
    struct model_file *file;
    uint32_t handles[BO_COUNT];
    struct drm_vc4_submit_cl args;

    /* The parts of the binning list. A test can leave parts out, repeat them or insert bytes. */
    struct cl_tile_binning_mode_config config;
    bool without_config, without_start, without_increment, without_flush, without_state, twice_config, twice_start;
    uint8_t extra[64]; /* raw bytes before the primitives */
    uint32_t extra_B;
    uint32_t cut_B; /* bytes to cut off the list's end */
    bool skip_wait; /* job_submit does not wait for it */
    struct cl_gl_shader_state state;
    struct cl_gem_handles gem_handles;
    bool indexed;
    struct cl_indexed_primitives indexed_prim;
    struct cl_array_primitives array_prim;

    uint32_t rec_bos[3 + 8];
    struct cl_gl_shader_record record;
    struct cl_attribute_record attribute[8];
    uint32_t extended_stride[8];
    uint32_t uniforms[64]; /* handles and words, as they go to the kernel */
    uint32_t uniform_words;

    /* Called on the list and the shader records just before submission, to damage them. May be NULL. */
    void (*mangle)(uint8_t *bytes, uint32_t size_B);
};

/* Device, file, buffers, programs without uniforms, one triangle. */
void job_init(struct test_job *job);
void job_init_with(struct test_job *job, const struct model_options *options);
void job_finish(struct test_job *job);
/* Replaces a program; asserts that it is accepted. */
void job_set_program(struct test_job *job, int bo, const char *text);
/* Submits the job and waits for it, unless skip_wait is set. Returns 0 or a negative errno. */
int job_submit(struct test_job *job);

uint32_t create_bo(struct model_file *file, uint32_t size_B);
void close_bo(struct model_file *file, uint32_t handle);
/* Lines of docs/qpu-text.md, '\n' between. Returns the number of words; fails the test on bad text. */
uint32_t assemble(const char *text, uint64_t *words, uint32_t max);
int create_shader(struct model_file *file, const char *text, uint32_t *handle_out);

/* Asserts that a call was refused with -EINVAL by this rule. */
#define assert_refused(err, rule) check_refused((err), (rule), __FILE__, __LINE__)
void check_refused(int err, enum krn_rule rule, const char *file, int line);
#define assert_accepted(err) check_accepted((err), __FILE__, __LINE__)
void check_accepted(int err, const char *file, int line);

/* A program that does nothing. */
#define IDLE_PROGRAM "nop\nnop ; end\nnop\nnop"

#endif
