public class Labels {
    static int find(int[][] grid, int wanted) {
        int looked = 0;
        outer:
        for (int i = 0; i < grid.length; i++) {
            for (int j = 0; j < grid[i].length; j++) {
                looked++;
                if (grid[i][j] < 0) {
                    continue outer;
                }
                if (grid[i][j] == wanted) {
                    break outer;
                }
            }
        }
        return looked;
    }

    static String fall(int n) {
        String s = "";
        switch (n) {
            case 1:
                s += "one ";
            case 2:
                s += "two ";
                break;
            case 3: {
                int t = n * 2;
                s += t;
                break;
            }
            default:
                s += "many";
        }
        return s;
    }

    public static void main(String[] args) {
        int[][] grid = {{1, -1, 5}, {2, 7}, {}, {9}};
        System.out.println(find(grid, 7));
        System.out.println(find(grid, 100));
        for (int n = 1; n <= 4; n++) {
            System.out.println(fall(n));
        }
        int k = 0;
        do {
            k += 3;
            if (k == 6) {
                continue;
            }
            k--;
        } while (k < 10);
        block: {
            if (k > 5) {
                break block;
            }
            k = -1;
        }
        int i = 0, j = 10;
        while (i < j) {
            i++;
            j -= 2;
        }
        System.out.println(k + " " + i + " " + j);
    }
}
