/* SPDX-License-Identifier: MIT */
#include <math.h>
#include "issue/vc4vk_issue_stipple.h"

#define PATTERN_BITS 16

/* Ends behind the eye move along the line to where w is this part of the other end's. */
#define LEAST_W (1.0f / 4096)

/* How far position `p` is inside the plane; negative outside. */
static float inside(const struct vc4vk_pipeline_state *state, const float p[4], uint32_t plane, float least_w)
{
    switch (plane) {
    case 0:
        return p[3] - least_w;
    case 1:
        return !state->clips_depth ? 0 : state->symmetric_depth ? p[3] + p[2] : p[2];
    default:
        return state->clips_depth ? p[3] - p[2] : 0;
    }
}

/* Clips the line at the near and the far plane. False: nothing is left. */
static bool clip(const struct vc4vk_pipeline_state *state, const float from[4], const float to[4], float out[2][4])
{
    const float least_w = MAX2(from[3], to[3]) * LEAST_W;
    float t[2] = {0, 1};
    for (uint32_t plane = 0; plane < 3; plane++) {
        const float a = inside(state, from, plane, least_w), b = inside(state, to, plane, least_w);
        if (a < 0 && b < 0)
            return false;
        if (a < 0)
            t[0] = MAX2(t[0], a / (a - b));
        if (b < 0)
            t[1] = MIN2(t[1], a / (a - b));
    }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t k = 0; k < 4; k++)
            out[i][k] = from[k] + (to[k] - from[k]) * t[i];
    return t[0] <= t[1] && out[0][3] > 0 && out[1][3] > 0;
}

/* The place in the framebuffer, in pixels, in steps of 1/16 as vertex programs compute it. */
static void in_window(const struct vc4vk_viewport_words *viewport, const float p[4], float out[2])
{
    out[0] = viewport->centre_x_px + truncf(p[0] / p[3] * viewport->scale_x_16) / 16;
    out[1] = viewport->centre_y_px + truncf(p[1] / p[3] * viewport->scale_y_16) / 16;
}

/* A step for each pixel of the longer axis whose centre lies between the ends, which is one fragment. `words` give the
 * number of steps and a half at the centre of the pixel. Returns the number of fragments. */
static float count_pixels(const float d[2], const float at[2], const float end[2], float start, float words[3])
{
    const uint32_t axis = fabsf(d[0]) < fabsf(d[1]);
    const float first = ceilf(at[axis] - 0.5f), sign = d[axis] < 0 ? -1.0f : 1.0f;
    words[axis] = sign;
    words[1 - axis] = 0;
    words[2] = start - sign * first;
    return fabsf(ceilf(end[axis] - 0.5f) - first);
}

/* Steps are pixels along the line. Returns its length. */
static float measure(const float d[2], const float at[2], float start, float words[3])
{
    const float length = sqrtf(d[0] * d[0] + d[1] * d[1]), over_length = length > 0 ? 1 / length : 0;
    words[0] = d[0] * over_length;
    words[1] = d[1] * over_length;
    words[2] = start - words[0] * at[0] - words[1] * at[1];
    return length;
}

void vc4vk_issue_stipple_line(struct vc4vk_issue_stipple *s, uint32_t viewport, const float from[4], const float to[4],
                              uint32_t words_out[VC4C_STIPPLE_WORDS])
{
    const struct vc4vk_pipeline_state *state = &s->state->pipeline->state;
    const struct vc4vk_viewports *more = s->state->viewports;
    const struct vc4vk_uniform_set *set = s->state->uniforms;
    float clipped[2][4], at[2], end[2], words[VC4C_STIPPLE_WORDS] = {0};
    if (clip(state, from, to, clipped)) {
        const struct vc4vk_viewport_words *v = more ? &more->at[MIN2(viewport, more->count - 1)].words : &set->viewport;
        in_window(v, clipped[0], at);
        in_window(v, clipped[1], end);
        const float d[2] = {end[0] - at[0], end[1] - at[1]};
        const float steps =
            vc4vk_draws_rectangles(state) ? measure(d, at, s->start, words) : count_pixels(d, at, end, s->start, words);
        if (isfinite(steps))
            s->start = fmodf(s->start + steps, (float)PATTERN_BITS * (float)set->stipple_factor);
    }
    for (uint32_t i = 0; i < VC4C_STIPPLE_WORDS; i++)
        words_out[i] = util_fui(words[i]);
}
