"""A ROS 2 node between motors and joints, as C++ source on the header: joint_states in, joints out, and commands back.

It was compiled against stand-ins for rclcpp and sensor_msgs, and never run with ROS.
"""

from __future__ import annotations

from closedchain.errors import BadInput
from closedchain.export.headers import cpp_header
from closedchain.export.package import Package

NODE = """\
// {name}: a ROS 2 node between its motors and its joints. Written by closedchain; NOT TESTED with ROS itself.
//
// joint_states (sensor_msgs/JointState) with {motors}  ->  ~/joints with {joints}
// ~/joint_commands with {joints}                       ->  ~/motor_commands with {motors}
//
// Positions go through the maps of {header}, velocities and efforts through the Jacobian: y_dot = J q_dot,
// tau_y = K^T tau_q, and back. What the guard refuses is not published, and told at most once a second.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/joint_state.hpp"

#include "{header}"

namespace {{

using sensor_msgs::msg::JointState;
constexpr std::size_t N = {n}, NX = {nx};
using Numbers = std::array<double, N>;
const std::array<std::string, N> MOTORS = {{{motor_names}}};
const std::array<std::string, N> JOINTS = {{{joint_names}}};

// The numbers of these names; false where one is missing.
bool pick(const JointState &from, const std::vector<double> &values, const std::array<std::string, N> &names,
          Numbers &to) {{
    for (std::size_t i = 0; i < N; ++i) {{
        const auto place = std::find(from.name.begin(), from.name.end(), names[i]);
        const auto k = static_cast<std::size_t>(place - from.name.begin());
        if (place == from.name.end() || k >= values.size()) {{
            return false;
        }}
        to[i] = values[k];
    }}
    return true;
}}

// M v, or its transpose's.
Numbers times(const double *M, const Numbers &v, bool transposed) {{
    Numbers made{{}};
    for (std::size_t i = 0; i < N; ++i) {{
        for (std::size_t j = 0; j < N; ++j) {{
            made[i] += (transposed ? M[j * N + i] : M[i * N + j]) * v[j];
        }}
    }}
    return made;
}}

}} // namespace

class {title}Node : public rclcpp::Node {{
  public:
    {title}Node() : rclcpp::Node("{name}_transmission") {{
        joints_ = create_publisher<JointState>("~/joints", 10);
        motors_ = create_publisher<JointState>("~/motor_commands", 10);
        states_ = create_subscription<JointState>(
            "joint_states", 10, [this](JointState::ConstSharedPtr m) {{ from_motors(*m); }});
        commands_ = create_subscription<JointState>(
            "~/joint_commands", 10, [this](JointState::ConstSharedPtr m) {{ from_joints(*m); }});
    }}

    void from_motors(const JointState &state) {{
        Numbers q;
        if (!pick(state, state.position, MOTORS, q)) {{
            return; // of other joints
        }}
        std::array<double, NX> x{{}};
        if (!{name}::motor_to_joint(q.data(), x.data(), nullptr)) {{
            RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "the motors are out of range or off the branch");
            return;
        }}
        JointState out = headed(state, JOINTS, x.data());
        through(state, out, q, x, MOTORS, true);
        joints_->publish(out);
    }}

    void from_joints(const JointState &command) {{
        Numbers y;
        if (!pick(command, command.position, JOINTS, y)) {{
            return;
        }}
        Numbers q{{}};
        std::array<double, NX> x{{}};
        if (!{name}::joint_to_motor(y.data(), q.data(), nullptr) ||
            !{name}::motor_to_joint(q.data(), x.data(), nullptr)) {{
            RCLCPP_WARN_THROTTLE(get_logger(), *get_clock(), 1000, "the joints are out of range or of reach");
            return;
        }}
        JointState out = headed(command, MOTORS, q.data());
        through(command, out, q, x, JOINTS, false);
        motors_->publish(out);
    }}

  private:
    static JointState headed(const JointState &from, const std::array<std::string, N> &names, const double *values) {{
        JointState out;
        out.header = from.header;
        out.name.assign(names.begin(), names.end());
        out.position.assign(values, values + N);
        return out;
    }}

    // Velocities and efforts, where the message has them.
    static void through(const JointState &from, JointState &out, const Numbers &q, const std::array<double, NX> &x,
                        const std::array<std::string, N> &names, bool to_joints) {{
        const Numbers rest{{}};
        double J[N * N], K[N * N];
        if (!{name}::rates(q.data(), x.data(), rest.data(), J, nullptr, K, nullptr, nullptr, nullptr, nullptr)) {{
            return; // near a singularity
        }}
        Numbers given;
        if (pick(from, from.velocity, names, given)) {{
            const Numbers made = times(to_joints ? J : K, given, false);
            out.velocity.assign(made.begin(), made.end());
        }}
        if (pick(from, from.effort, names, given)) {{
            const Numbers made = times(to_joints ? K : J, given, true);
            out.effort.assign(made.begin(), made.end());
        }}
    }}

    rclcpp::Publisher<JointState>::SharedPtr joints_, motors_;
    rclcpp::Subscription<JointState>::SharedPtr states_, commands_;
}};

int main(int argc, char **argv) {{
    rclcpp::init(argc, argv);
    rclcpp::spin(std::make_shared<{title}Node>());
    rclcpp::shutdown();
    return 0;
}}
"""
UNTESTED = "the node was compiled against stand-ins for rclcpp and sensor_msgs; it was not tested with ROS"


def ros2_files(package: Package, stem: str) -> tuple[dict[str, str | bytes], list[str]]:
    """The node and the header it stands on, by their endings; notes."""
    names = {p.name for p in package.programs}
    if not {"motor_to_joint", "joint_to_motor", "rates"} <= names:
        raise BadInput(f"{package.name}: a node needs a transmission's maps; give the range of each joint")
    e = package.model.equations
    motors, joints = ([c.name for c in group] for group in (e.q, e.x[: package.model.outputs]))
    quoted = {key: ", ".join(f'"{name}"' for name in group) for key, group in (("m", motors), ("j", joints))}
    text = NODE.format(
        name=package.name, title="".join(w.capitalize() for w in package.name.split("_")), header=f"{stem}.hpp",
        n=len(motors), nx=len(e.x), motors=", ".join(motors), joints=", ".join(joints), motor_names=quoted["m"],
        joint_names=quoted["j"],
    )  # fmt: skip
    return {".cpp": text, ".hpp": cpp_header(package)}, [UNTESTED]
