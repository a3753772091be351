// SPDX-License-Identifier: MIT
//
// A scene of Qt Quick: text, gradients, rounded and rotated rectangles, clipping, an image, layers and shapes, without
// anything that moves.
import QtQuick
import QtQuick.Controls
import QtQuick.Shapes
import QtQuick.Window

Window {
    width: 480
    height: 360
    visible: true
    color: "#203040"

    Rectangle {
        x: 20; y: 20; width: 200; height: 120
        radius: 24
        rotation: 7
        antialiasing: true
        border { width: 4; color: "gold" }
        gradient: Gradient {
            GradientStop { position: 0; color: "crimson" }
            GradientStop { position: 1; color: "navy" }
        }
        Text {
            anchors.centerIn: parent
            text: "Qt Quick"
            font.pixelSize: 32
            color: "white"
            style: Text.Outline
            styleColor: "black"
        }
    }
    Item {
        x: 250; y: 20; width: 100; height: 100
        clip: true
        Rectangle { x: -40; y: -40; width: 100; height: 100; radius: 50; color: "orange" }
        Rectangle { x: 40; y: 40; width: 100; height: 100; radius: 50; color: "#8000ffff" }
    }
    Shape {
        x: 360; y: 20; width: 100; height: 100
        ShapePath {
            strokeWidth: 3; strokeColor: "white"
            fillGradient: RadialGradient {
                centerX: 50; centerY: 50; centerRadius: 50; focalX: 40; focalY: 40
                GradientStop { position: 0; color: "yellow" }
                GradientStop { position: 1; color: "darkgreen" }
            }
            startX: 50; startY: 0
            PathLine { x: 80; y: 95 }
            PathLine { x: 2; y: 36 }
            PathLine { x: 98; y: 36 }
            PathLine { x: 20; y: 95 }
            PathLine { x: 50; y: 0 }
        }
    }
    Row {
        x: 20; y: 170; spacing: 10
        Button { text: "Button" }
        CheckBox { text: "checked"; checked: true; palette.windowText: "white" }
        Slider { value: 0.3 }
    }
    Grid {
        x: 20; y: 230; columns: 8; spacing: 4
        opacity: 0.7
        layer.enabled: true
        layer.smooth: true
        Repeater {
            model: 24
            Rectangle { width: 24; height: 24; color: Qt.hsva(index / 24, 0.9, 0.9, 1); rotation: index * 15; antialiasing: true }
        }
    }
    ShaderEffectSource {
        id: copy
        x: 280; y: 230; width: 180; height: 110
        sourceItem: Text { text: "layer of text"; font.pixelSize: 30; color: "lime"; textFormat: Text.PlainText }
        transform: Rotation { origin.x: 90; origin.y: 55; axis { x: 0; y: 1; z: 0.2 } angle: 40 }
    }
}
