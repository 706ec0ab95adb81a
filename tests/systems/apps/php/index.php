<?php // A shop's page in PHP: what its items cost, as HTML.
$items = ['Lamp' => 39.5, 'Chair' => 120, 'Shelf' => 75.25];
?>
<!doctype html>
<title>Shop</title>
<ul>
<?php foreach ($items as $name => $price): ?>
  <li><?= htmlspecialchars($name) ?>: <?= number_format($price, 2) ?> €</li>
<?php endforeach ?>
</ul>
