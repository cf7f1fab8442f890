// A stand-in for the little of rclcpp that a generated node uses: topics are lists that a test fills and reads.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define RCLCPP_WARN_THROTTLE(logger, clock, time, text) (void)(logger), (void)(clock), rclcpp::warnings.push_back(text)

namespace rclcpp {
inline std::vector<std::string> warnings;
struct Logger {};
struct Clock {};
template <class M> struct Publisher {
    using SharedPtr = std::shared_ptr<Publisher>;
    std::vector<M> sent;
    void publish(const M &m) { sent.push_back(m); }
};
template <class M> struct Subscription {
    using SharedPtr = std::shared_ptr<Subscription>;
    std::function<void(std::shared_ptr<const M>)> call;
};
template <class T> std::map<std::string, std::shared_ptr<T>> &topics() {
    static std::map<std::string, std::shared_ptr<T>> all;
    return all;
}
class Node {
  public:
    explicit Node(const std::string &) {}
    template <class M> typename Publisher<M>::SharedPtr create_publisher(const std::string &topic, int) {
        return topics<Publisher<M>>()[topic] = std::make_shared<Publisher<M>>();
    }
    template <class M, class F>
    typename Subscription<M>::SharedPtr create_subscription(const std::string &topic, int, F f) {
        auto made = std::make_shared<Subscription<M>>();
        made->call = f;
        return topics<Subscription<M>>()[topic] = made;
    }
    Logger get_logger() { return {}; }
    std::shared_ptr<Clock> get_clock() { return std::make_shared<Clock>(); }
};
inline void init(int, char **) {}
inline void shutdown() {}
void spin(std::shared_ptr<Node>);
} // namespace rclcpp
