import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Streams {
    record Person(String name, int age) {}

    static <T, R> List<R> mapAll(List<? extends T> in, Function<? super T, ? extends R> f) {
        List<R> out = new ArrayList<>();
        for (T t : in) {
            out.add(f.apply(t));
        }
        return out;
    }

    static <T extends Comparable<T>> T most(List<T> in) {
        T best = null;
        for (T t : in) {
            if (best == null || t.compareTo(best) > 0) {
                best = t;
            }
        }
        return best;
    }

    public static void main(String[] args) {
        List<Person> people = List.of(new Person("ann", 30), new Person("bob", 20), new Person("cy", 30));
        Map<Integer, List<String>> byAge = people.stream()
                .collect(Collectors.groupingBy(Person::age, TreeMap::new,
                        Collectors.mapping(p -> p.name(), Collectors.toList())));
        System.out.println(byAge);
        int sum = IntStream.rangeClosed(1, 5)
                .filter(x -> x % 2 == 1)
                .map(x -> {
                    int y = x * x;
                    return y + 1;
                })
                .sum();
        System.out.println(sum);
        Optional<Person> first = people.stream().sorted(Comparator.comparing(Person::name).reversed()).findFirst();
        String name = first.map(Person::name).orElse("none");
        System.out.println(name + most(Arrays.asList(3, 9, 4)) + mapAll(people, Person::age));
        BinaryOperator<Integer> add = Integer::sum;
        Function<Integer, Function<Integer, Integer>> curried = a -> b -> add.apply(a, b);
        System.out.println(curried.apply(2).apply(5));
        Optional<String> none = Optional.empty();
        System.out.println(none.isPresent());
    }
}
