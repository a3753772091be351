#!/bin/busybox sh
# SPDX-License-Identifier: MIT
#
# screen.sh SCAN_OUT FOLDER: shows things on the guest's screen, in three ways: on the bare console by VK_KHR_display
# (tests/board/scan_out.c), in a Wayland compositor (weston), and in an X server (Xorg), which both draw by Mesa's OpenGL. At
# each line "@@ picture NAME" the host takes a picture, and compares it with FOLDER/NAME.ppm or with vkcube's frames
# (board/screens.py). Prints TAP, programs between "@@ begin" and "@@ end".
scan_out=$1 folder=$2
state=/sys/kernel/debug/dri/0/state
mkdir -p "$folder" /run/udev/data /tmp/.X11-unix
mount -t debugfs debugfs /sys/kernel/debug
number=0

case_of() { # STATUS NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; failed=1; fi
}

# Prints the planes that are on, a line each: position, size and modifier of the framebuffer, who made it.
planes() {
    awk '/^plane/ { on = 0 } /fb=[1-9]/ { on = 1 } /allocated by/ { by = $NF } /modifier=/ { modifier = $1 }
         /^\t\tsize=/ { size = $1 } on && /crtc-pos=/ { print $1, size, modifier, "by=" by }' $state
}

wait_for() { # SECONDS COMMAND...
    local tries=$(($1 * 5))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}

# Lets a program draw for some seconds, then stops it between two frames while the host takes a picture.
draw_and_look() { # NAME PROGRAM ARGUMENTS...
    local name=$1
    shift
    "$@" >"/tmp/$name.log" 2>&1 &
    pid=$!
    wait_for 60 grep -q 'Selected GPU' "/tmp/$name.log"
    sleep 8
    kill -0 $pid
    case_of $? "$name: $1 draws"
    kill -STOP $pid
    sleep 1
    planes | sed 's/^/# plane: /'
    echo "@@ picture $name"
    sleep 3
}

# Ends the program of draw_and_look.
end_drawing() {
    kill -CONT $pid
    kill $pid
    wait $pid
}

echo "@@ begin screen/console"
"$scan_out" "$folder/console.ppm"
echo "@@ end screen/console $?"

echo "@@ begin screen/weston"
echo 1..3
failed=0 number=0
weston --backend=drm-backend.so --tty=1 --continue-without-input --idle-time=0 --log=/tmp/weston.log >/tmp/weston.out 2>&1 &
compositor=$!
wait_for 60 [ -S "$XDG_RUNTIME_DIR/wayland-1" ] && sleep 3
grep -q 'GL renderer: VC4' /tmp/weston.log
case_of $? "weston draws by Mesa's driver of the chip"
WAYLAND_DISPLAY=wayland-1 draw_and_look weston vkcube-wayland --width 256 --height 256
planes | grep -q 'size=256x256 modifier=0x700000000000001'
case_of $? 'an image of T tiles of the swapchain is on a plane of its own'
end_drawing
[ $failed = 0 ] || tail -n 20 /tmp/weston.log /tmp/weston.out /tmp/weston.log
kill $compositor
wait $compositor
echo "@@ end screen/weston $failed"

echo "@@ begin screen/xorg"
echo 1..2
failed=0 number=0
cat >/tmp/xorg.conf <<'CONF'
Section "Device"
    Identifier "vc4"
    Driver "modesetting"
    Option "kmsdev" "/dev/dri/card0"
EndSection
Section "ServerFlags"
    Option "AutoAddDevices" "false"
    Option "AutoAddGPU" "false"
EndSection
CONF
/usr/lib/xorg/Xorg :1 -config /tmp/xorg.conf -nolisten tcp -novtswitch -sharevts vt1 -logfile /tmp/xorg.log >/tmp/xorg.out 2>&1 &
server=$!
wait_for 60 [ -S /tmp/.X11-unix/X1 ]
wait_for 60 grep -q 'glamor initialized' /tmp/xorg.log
case_of $? "Xorg's glamor draws by Mesa's driver of the chip"
sleep 3
DISPLAY=:1 draw_and_look xorg vkcube --width 256 --height 256
end_drawing
[ $failed = 0 ] || tail -n 20 /tmp/xorg.log /tmp/xorg.out
kill $server
wait $server
echo "@@ end screen/xorg $failed"
