#include <iostream>
#include <map>
#include <sstream>
#include <string>
static int vowels(const std::string &word) {
    int count = 0;
    for (std::size_t i = 0; i < word.size(); i++) {
        bool is_vowel = std::string("aeiou").find(word[i]) != std::string::npos;
        if (is_vowel) {
            count++;
        }
    }
    return count;
}
int main() {
    std::istringstream text("one two three two");
    std::map<std::string, int> counts;
    std::string word;
    int words = 0;
    int most = 0;
    while (text >> word) {
        int seen = ++counts[word];
        most = seen > most ? seen : most;
        words += vowels(word);
    }
    std::cout << words << ' ' << most << ' ' << counts.size() << '\n';
    return 0;
}
