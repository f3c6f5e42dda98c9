#include <array>
#include <iostream>
template <int N> struct Matrix {
    std::array<std::array<double, N>, N> cells{};
    double trace() const {
        double sum = 0;
        for (int i = 0; i < N; i++) {
            sum += cells[i][i];
        }
        return sum;
    }
};
template <int N> Matrix<N> product(const Matrix<N> &a, const Matrix<N> &b) {
    Matrix<N> result;
    for (int row = 0; row < N; row++) {
        for (int column = 0; column < N; column++) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                sum += a.cells[row][k] * b.cells[k][column];
            }
            result.cells[row][column] = sum;
        }
    }
    return result;
}
int main() {
    Matrix<2> a;
    a.cells = {{{1, 2}, {3, 4}}};
    Matrix<2> b = product(a, a);
    double diagonal = b.trace();
    float half = static_cast<float>(diagonal) / 2;
    std::cout << diagonal << ' ' << half << '\n';
    return 0;
}
