# SPDX-License-Identifier: MIT
#
# A scene of Qt Quick (qtquick.qml).
packages=(qml-qt6 qml6-module-qtquick) through='Vulkan, Qt 6'
run_case() {
    QSG_RHI_BACKEND=vulkan QSG_INFO=1 frame 1 /usr/lib/qt6/bin/qml "$here/qtquick.qml"
}
