// A stand-in for the message: the fields of sensor_msgs/JointState.
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace sensor_msgs::msg {
struct Header {
    int stamp = 0;
};
struct JointState {
    using ConstSharedPtr = std::shared_ptr<const JointState>;
    Header header;
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;
};
} // namespace sensor_msgs::msg
