// outcome: returned
// note: threads
#include <atomic>
#include <thread>
#include <vector>
int main() {
    std::atomic<int> hits{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; i++)
        workers.emplace_back([&hits] {
            for (int k = 0; k < 50; k++)
                hits++;
        });
    for (auto &worker : workers)
        worker.join();
    return hits == 200 ? 0 : 1;
}
