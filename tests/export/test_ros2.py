"""The ROS 2 node's source: compiled against stand-ins, it maps messages both ways and keeps power; ROS is not here."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.export.maps import maps
from closedchain.export.package import map_package, model_package
from closedchain.export.ros2 import ros2_files

STAND_IN = Path(__file__).with_name("ros2_stand_in")
SPIN = """
#include <cstdio>
void show(const sensor_msgs::msg::JointState &m) {
    for (const auto *values : {&m.position, &m.velocity, &m.effort}) {
        for (double v : *values) std::printf("%.17g ", v);
    }
    std::printf("\\n");
}
void rclcpp::spin(std::shared_ptr<rclcpp::Node>) {
    using M = sensor_msgs::msg::JointState;
    auto &in = rclcpp::topics<rclcpp::Subscription<M>>();
    auto &out = rclcpp::topics<rclcpp::Publisher<M>>();
    auto m = std::make_shared<M>();
    m->name = {"knee", "theta2", "theta1"}; // in any order, among others
    m->position = {9.0, -0.3, 0.3};
    m->velocity = {9.0, -1.0, 2.0};
    m->effort = {9.0, 5.0, 4.0};
    in["joint_states"]->call(m);
    show(out["~/joints"]->sent.at(0));
    auto back = std::make_shared<M>(out["~/joints"]->sent.at(0));
    in["~/joint_commands"]->call(back);
    show(out["~/motor_commands"]->sent.at(0));
    m->position = {9.0, 3.0, 3.0};
    in["joint_states"]->call(m);
    m->name = {"elbow", "wrist", "hip"};
    in["joint_states"]->call(m);
    std::printf("%zu %zu\\n", out["~/joints"]->sent.size(), rclcpp::warnings.size());
}
"""


def test_messages_go_both_ways(tmp_path):
    """Positions of the pose that other programs have, power unchanged, nothing published of what is refused."""
    compiler = shutil.which("g++") or pytest.skip("no C++ compiler here")
    t = cc.transmission(cc.load("ankle:g1"))
    files, notes = ros2_files(map_package(maps(t, [-0.4, -0.2], [0.3, 0.2])), "ankle")
    for ending, text in files.items():
        (tmp_path / f"ankle{ending}").write_text(text)
    (tmp_path / "run.cpp").write_text('#include "ankle.cpp"\n' + SPIN)
    strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{STAND_IN}", "run.cpp", "-o", "run"]
    subprocess.run([compiler, *strict], cwd=tmp_path, check=True)
    told = subprocess.run(["./run"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.splitlines()
    joints, motors = (np.array(list(map(float, line.split()))) for line in told[:2])
    np.testing.assert_allclose(joints[:2], [-0.216037617, 0.000612785], atol=1e-9)
    assert joints[2:4] @ joints[4:6] == pytest.approx(2.0 * 4.0 - 1.0 * 5.0, rel=1e-12)
    np.testing.assert_allclose(motors, [0.3, -0.3, 2.0, -1.0, 4.0, 5.0], atol=1e-10)
    assert told[2] == "1 1"
    assert "not tested with ROS" in notes[0]


def test_a_node_needs_maps():
    """A robot's models alone make none."""
    with pytest.raises(BadInput, match="needs a transmission's maps"):
        ros2_files(model_package(cc.load("biglide"), ["inverse"]), "b")
