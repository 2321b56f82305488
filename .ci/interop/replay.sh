#!/usr/bin/env bash
# The archive seen again. A real Chromium walks over sites through the recorder, and then, with
# another profile, over the same sites in a replay: in a network that has nothing but loopback,
# where no host of theirs is known and none of their origins runs. Each step shows the same text and
# the same picture, to the pixel; each request of the browser is answered from the archive.
#
# REPLAY_SITES names some of the sites, of which replay/sites/ has one each.
set -euo pipefail
. "$(dirname "$0")/replay/record.sh"
if [[ -z ${REPLAY_SITES-} ]]; then sites=(clock "${sites[@]}"); fi

record_sites
unshare --net --mount bash "$here/replay/alone.sh" "${sites[@]}"
