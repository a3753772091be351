/* SPDX-License-Identifier: MIT
 *
 * Which devices there are: the model, as long as VC4VK_DEVICE does not ask for something else.
 */
#include <stdlib.h>
#include <string.h>
#include "kmd/kmd_backend.h"
#include "util/log.h"

/* One line per process: applications enumerate often. */
static void complain_once(const char *wish)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&said))
        return;
    if (!strcmp(wish, "drm") || wish[0] == '/')
        util_error("VC4VK_DEVICE=%s: the vc4 DRM driver is not supported yet, so there is no device; "
                   "VC4VK_DEVICE=model (or unset) takes the model of the chip",
                   wish);
    else
        util_error("VC4VK_DEVICE=%s is none of drm, model, /dev/dri/renderDN: no device", wish);
}

uint32_t kmd_enumerate(struct kmd_physical out[KMD_MAX_DEVICES])
{
    const char *wish = getenv("VC4VK_DEVICE");
    if (wish && wish[0] && strcmp(wish, "model")) {
        complain_once(wish);
        return 0;
    }
    return kmd_model_backend.enumerate(out, KMD_MAX_DEVICES);
}
