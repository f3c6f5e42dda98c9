import java.util.ArrayList;
import java.util.List;

public class Scores {
    static final class Player {
        final String name;
        int points;

        Player(String name) {
            this.name = name;
        }

        int score(int by) {
            points += by;
            return points;
        }
    }

    static int best(List<Player> players) {
        int best = -1;
        for (int i = 0; i < players.size(); i++) {
            int points = players.get(i).points;
            if (points > best) {
                best = points;
            }
        }
        return best;
    }

    static double mean(int[] rounds) {
        double sum = 0;
        for (int round : rounds) {
            sum += round;
        }
        return rounds.length == 0 ? 0 : sum / rounds.length;
    }

    public static void main(String[] args) {
        List<Player> players = new ArrayList<>();
        players.add(new Player("ann"));
        players.add(new Player("bo"));
        int[] rounds = {3, 5, 4};
        for (int i = 0; i < rounds.length; i++) {
            boolean isEven = i % 2 == 0;
            int now = players.get(isEven ? 0 : 1).score(rounds[i]);
            if (now > 6) {
                break;
            }
        }
        int most = best(players);
        double mean = mean(rounds);
        System.out.println(most + " " + mean);
    }
}
